"""The settings of the references."""

from dataclasses import dataclass
from typing import Any

from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import CommonSettings


@dataclass(frozen=True)
class ReferenceSettings(CommonSettings):
    """What is usual; where a paper states it, the note says which."""

    bert: str = setting(
        "minilm", "ours", "all-MiniLM-L6-v2, a directory or a preset"
    )
    max_question_length: int | None = setting(
        32, "ours", "word pieces", above=0
    )
    max_answer_length: int | None = setting(128, "ours", "word pieces", above=0)
    frozen_layers: int = setting(
        0, "ours", "first layers, with the embeddings; 0: none", least=0
    )
    dropout: float = setting(0.1, "Devlin et al. (2019)", least=0, below=1)
    pooling: str = setting(
        "cls", "Nogueira and Cho (2019)", choices=("cls", "mean")
    )
    matching: bool = setting(
        False, "ours", "of the cross-encoder: matches of the states, too"
    )
    dtype: str = setting(
        "float32",
        "ours",
        "of the computation; half precision is faster where it is supported",
        choices=("float32", "mixed_bfloat16", "mixed_float16"),
    )
    scale: float = setting(
        20.0, "ours", "of cosines; of late interaction 1", above=0
    )
    projection_dim: int | None = setting(
        None, "ours", "of late interaction; null: none", above=0
    )
    reduce: str = setting(
        "sum", "Khattab and Zaharia (2020)", choices=("sum", "mean")
    )
    learning_rate: float = setting(
        5e-5, "Devlin et al. (2019)", "the highest of three", above=0
    )
    warm_up: float = setting(
        0.1,
        "ours",
        "share of the steps in which the learning rate rises; it then falls "
        "to 0 in a line",
        least=0,
        below=1,
    )
    weight_decay: float = setting(0.01, "Devlin et al. (2019)", least=0)
    batch_size: int = setting(32, "Devlin et al. (2019)", above=0)
    epochs: int = setting(3, "Devlin et al. (2019)", above=0)
    negatives: int = setting(
        4, "ours", "own wrong answers of each question of a batch", least=0
    )


MODELS: dict[str, dict[str, Any]] = {
    "late-interaction": {"scale": 1.0},
    "late-interaction-tuned": {"scale": 1.0},
}

RECIPES = {
    "paper": Recipe("what is usual"),
    "small": Recipe(
        "half of MiniLM's layers, for 2 cores",
        {"frozen_layers": 3, "dtype": "mixed_bfloat16"},
    ),
    "best": Recipe(
        "few questions suffice: matches, lists, hard candidates",
        {
            "objective": "listwise",
            "candidates": 8,
            "batch_size": 8,
            "dtype": "mixed_bfloat16",
            "average_last": 1,
            "transfer_seed": 1,
        },
        {"cross-encoder": {"matching": True}},
    ),
}
