"""A small ELMo in the published layout, and its states in NumPy."""

import json

import h5py
import numpy as np

MAX, DIM, FILTERS, HIGHWAYS = 9, 3, [[1, 2], [2, 3], [4, 2]], 2
UNITS, PROJECTION, LAYERS = 5, 4, 2
CELL_CLIP, PROJECTION_CLIP = 0.9, 0.6
WIDE = sum(number for _, number in FILTERS)
START, END, WORD_START, WORD_END, FILL = 256, 257, 258, 259, 260


def make_options(**lstm):
    return {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": PROJECTION,
            "cell_clip": CELL_CLIP,
            "proj_clip": PROJECTION_CLIP,
            "dim": UNITS,
            "n_layers": LAYERS,
        }
        | lstm,
        "char_cnn": {
            "activation": "relu",
            "filters": FILTERS,
            "n_highway": HIGHWAYS,
            "embedding": {"dim": DIM},
            "n_characters": 262,
            "max_characters_per_token": MAX,
        },
    }


def make_weights(seed=0):
    """Random weights, named as in the published files."""
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.normal(0, 0.8, shape).astype(np.float32)

    weights = {"char_embed": draw(261, DIM)}
    for i, (width, number) in enumerate(FILTERS):
        weights[f"CNN/W_cnn_{i}"] = draw(1, width, DIM, number)
        weights[f"CNN/b_cnn_{i}"] = draw(number)
    for i in range(HIGHWAYS):
        for gate in ("carry", "transform"):
            weights[f"CNN_high_{i}/W_{gate}"] = draw(WIDE, WIDE)
            weights[f"CNN_high_{i}/b_{gate}"] = draw(WIDE)
    weights["CNN_proj/W_proj"] = draw(WIDE, PROJECTION)
    weights["CNN_proj/b_proj"] = draw(PROJECTION)
    for direction in (0, 1):
        for i in range(LAYERS):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell"
            weights[f"{cell}/W_0"] = draw(2 * PROJECTION, 4 * UNITS)
            weights[f"{cell}/B"] = draw(4 * UNITS)
            weights[f"{cell}/W_P_0"] = draw(UNITS, PROJECTION)
    return weights


def write_elmo(folder, weights, options=None):
    """Writes the ELMo's directory; returns it."""
    folder.mkdir()
    text = json.dumps(options or make_options())
    (folder / "elmo_small_options.json").write_text(text)
    with h5py.File(folder / "elmo_small_weights.hdf5", "w") as file:
        for name, values in weights.items():
            file[name] = values
    return folder


def all_states(weights, words, clips=(CELL_CLIP, PROJECTION_CLIP), skip=True):
    """The states of `words` in `<S> words </S>`.

    Returns:
        float64 `(LAYERS + 1, words, 2 PROJECTION)`.
    """
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    sentence = [[START], *(word.encode() for word in words), [END]]
    x = np.stack([_word(w, characters) for characters in sentence])
    layers = [np.hstack([x, x])]
    forward, backward = x, x[::-1]
    for i in range(LAYERS):
        above = _lstm(w, f"RNN_0/RNN/MultiRNNCell/Cell{i}", forward, clips)
        below = _lstm(w, f"RNN_1/RNN/MultiRNNCell/Cell{i}", backward, clips)
        if skip and i > 0:
            above, below = above + forward, below + backward
        forward, backward = above, below
        layers.append(np.hstack([forward, backward[::-1]]))
    return np.stack(layers)[:, 1:-1]


def _word(w, characters):
    ids = [WORD_START, *list(characters)[: MAX - 2], WORD_END]
    ids += [FILL] * (MAX - len(ids))
    x = w["char_embed"][ids]
    features = []
    for i, (width, number) in enumerate(FILTERS):
        kernel = w[f"CNN/W_cnn_{i}"][0]
        for filter_ in range(number):
            features.append(
                max(
                    (x[t : t + width] * kernel[:, :, filter_]).sum()
                    for t in range(MAX - width + 1)
                )
                + w[f"CNN/b_cnn_{i}"][filter_]
            )
    y = np.maximum(features, 0)
    for i in range(HIGHWAYS):
        name = f"CNN_high_{i}"
        carry = _sigmoid(y @ w[f"{name}/W_carry"] + w[f"{name}/b_carry"])
        new = np.maximum(
            y @ w[f"{name}/W_transform"] + w[f"{name}/b_transform"], 0
        )
        y = carry * new + (1 - carry) * y
    return y @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]


def _lstm(w, name, inputs, clips):
    kernel = w[f"{name}/LSTMCell/W_0"]
    bias = w[f"{name}/LSTMCell/B"]
    project = w[f"{name}/LSTMCell/W_P_0"]
    cell_clip, projection_clip = (np.inf if c is None else c for c in clips)
    h, c = np.zeros(PROJECTION), np.zeros(UNITS)
    outputs = []
    for x in inputs:
        gates = np.concatenate([x, h]) @ kernel + bias
        i, j, f, o = (gates[k * UNITS : (k + 1) * UNITS] for k in range(4))
        c = _sigmoid(f + 1) * c + _sigmoid(i) * np.tanh(j)
        c = np.clip(c, -cell_clip, cell_clip)
        h = (_sigmoid(o) * np.tanh(c)) @ project
        h = np.clip(h, -projection_clip, projection_clip)
        outputs.append(h)
    return np.stack(outputs)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))
