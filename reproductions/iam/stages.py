"""IAM's stages before the matcher: two language models, and the jump's RBM.

Each stage has a folder in the folder of stages, named after a fingerprint of
its inputs. All runs with the same inputs use it.
"""

from argparse import Namespace
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from keras_qa.layers import RBMJumpScore
from keras_qa.models import BidirectionalLanguageModel
from keras_qa.text.sides import SIDES
from reproductions.harness.parts.runs import Run
from reproductions.harness.stages import run_stage
from reproductions.iam.jump import WEIGHTS as JUMP_WEIGHTS
from reproductions.iam.jump import jump_inputs
from reproductions.iam.jump import load_jump
from reproductions.iam.jump import train_jump
from reproductions.iam.language_models import FILES as LANGUAGE_MODEL_FILES
from reproductions.iam.language_models import language_model_inputs
from reproductions.iam.language_models import load_language_model
from reproductions.iam.language_models import train_language_model
from reproductions.iam.settings import IAMSettings


@dataclass(frozen=True)
class Stages:
    """What the matcher starts from.

    Attributes:
        language_models: the trained models of both sides.
        jump: the trained score of jumps; None if it is not needed.
        metrics: by stage, the content of its `metrics.json`, and the name of
            its folder as `folder`.
    """

    language_models: dict[str, BidirectionalLanguageModel]
    jump: RBMJumpScore | None
    metrics: dict[str, Any]


def run_stages(run: Run[IAMSettings], jump: bool = True) -> Stages:
    """Makes the stages before the matcher, or reuses them.

    `--stage all` makes the stages that are missing; any other value makes only
    the named stage, and the stages before it must exist.

    Args:
        run: the run.
        jump: True if the jump's stage is needed.

    Raises:
        StageError: if a stage that must exist is missing.
    """
    asked, root = run.arguments.stage, stage_root(run.arguments)
    folders = {
        f"lm-{side}": run_stage(
            root,
            f"lm-{side}",
            language_model_inputs(run, side),
            partial(train_language_model, run, side)
            if asked in ("all", "lm")
            else None,
            LANGUAGE_MODEL_FILES,
        )
        for side in SIDES
    }
    models = {
        side: load_language_model(run, side, folders[f"lm-{side}"])
        for side in SIDES
    }
    score = None
    if asked != "lm" and (jump or asked == "rbm"):
        folders["rbm"] = run_stage(
            root,
            "rbm",
            jump_inputs(run, folders["lm-answer"]),
            partial(train_jump, run, models["answer"])
            if asked in ("all", "rbm")
            else None,
            (JUMP_WEIGHTS,),
        )
        score = load_jump(run.settings, folders["rbm"])
    return Stages(
        models,
        score,
        {
            name: {"folder": f.path.name, **f.read_json("metrics.json")}
            for name, f in folders.items()
        },
    )


def stage_root(arguments: Namespace) -> Path:
    """The folder of the stages: `--stage-dir`, or one in the run's folder."""
    return arguments.stage_dir or arguments.output_dir / "stages"
