"""A small BERT in the Hugging Face layout, and its states in NumPy."""

import json
import math

import numpy as np

PIECES = "[PAD] [UNK] [CLS] [SEP] [MASK] emma wrote ##s ##ly cafe who ? . a b"
PIECES = PIECES.split()
WIDTH, HEADS, LAYERS, POSITIONS, INNER = 6, 2, 3, 12, 10
CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "vocab_size": len(PIECES),
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "max_position_embeddings": POSITIONS,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    # The activation that keras-hub uses.
    "hidden_act": "gelu_pytorch_tanh",
}
DENSE = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (INNER, WIDTH),
    "output.dense": (WIDTH, INNER),
}


def make_weights(seed=0):
    """Random weights, named as in Hugging Face's files."""
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.normal(0, 0.7, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": draw(len(PIECES), WIDTH),
        "embeddings.position_embeddings.weight": draw(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": draw(2, WIDTH),
        "pooler.dense.weight": draw(WIDTH, WIDTH),
        "pooler.dense.bias": draw(WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        for name, shape in DENSE.items():
            weights[f"{layer}.{name}.weight"] = draw(*shape)
            weights[f"{layer}.{name}.bias"] = draw(shape[0])
        norms += [f"{layer}.attention.output.LayerNorm"]
        norms += [f"{layer}.output.LayerNorm"]
    for name in norms:
        weights[f"{name}.weight"] = 1 + draw(WIDTH) / 5
        weights[f"{name}.bias"] = draw(WIDTH)
    return weights


def write_bert(folder, weights, **tokenizer):
    """Writes the BERT's directory; returns it."""
    from safetensors.numpy import save_file

    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {"do_lower_case": True, "tokenizer_class": "BertTokenizer"}
            | tokenizer
        )
    )
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder


def all_states(weights, pieces):
    """The states of `pieces` in `[CLS] pieces [SEP]`.

    Returns:
        float64 `(LAYERS + 1, pieces, WIDTH)`: before the first layer and after
        each layer.
    """
    framed = ["[CLS]", *pieces, "[SEP]"]
    return framed_states(weights, framed, [0] * len(framed))[:, 1:-1]


def framed_states(weights, pieces, segments):
    """The states of `pieces`, [CLS] and [SEP] among them, of these segments."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    ids = [PIECES.index(name) for name in pieces]
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + w["embeddings.token_type_embeddings.weight"][segments]
    x = _norm(w, "embeddings.LayerNorm", x)
    states = [x]
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        attended = _attention(w, f"{layer}.attention.self", x)
        attended = _dense(w, f"{layer}.attention.output.dense", attended)
        x = _norm(w, f"{layer}.attention.output.LayerNorm", x + attended)
        inner = _gelu(_dense(w, f"{layer}.intermediate.dense", x))
        inner = _dense(w, f"{layer}.output.dense", inner)
        x = _norm(w, f"{layer}.output.LayerNorm", x + inner)
        states.append(x)
    return np.stack(states)


def _attention(w, name, x):
    query, key, value = (
        _dense(w, f"{name}.{part}", x).reshape(len(x), HEADS, -1)
        for part in ("query", "key", "value")
    )
    logits = np.einsum("qhd,khd->hqk", query, key) / math.sqrt(WIDTH // HEADS)
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.einsum("hqk,khd->qhd", shares, value).reshape(len(x), WIDTH)


def _dense(w, name, x):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def _norm(w, name, x):
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
    return x * w[f"{name}.weight"] + w[f"{name}.bias"]


def _gelu(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x * (1 + np.tanh(inner)) / 2
