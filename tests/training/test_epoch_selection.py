"""When a training ends."""

import pytest

from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.run_folder import RunFolder


@pytest.mark.once
@pytest.mark.parametrize(
    ("patience", "quality", "ends"),
    [
        (2, [0.1, 0.3, 0.2, 0.1, 0.9], 4),
        # Equal is not better.
        (2, [0.3, 0.3, 0.3, 0.9], 3),
        (1, [0.1, 0.2, 0.3, 0.4], None),
        (0, [0.9, 0.1, 0.1, 0.1], None),
    ],
)
def test_patience(tmp_path, patience, quality, ends):
    selector = EpochSelector(
        RunFolder(tmp_path, {}), lambda: None, patience=patience
    )
    assert not selector.out_of_patience
    for epoch, value in enumerate(quality, start=1):
        selector.history.append({"epoch": epoch, "MAP": value})
        if selector.out_of_patience:
            break
    assert (epoch if selector.out_of_patience else None) == ends


@pytest.mark.once
@pytest.mark.parametrize("name", ["patience", "average_last"])
def test_errors(tmp_path, name):
    with pytest.raises(ValueError, match=f"`{name}` must not .*{name}=-1"):
        EpochSelector(RunFolder(tmp_path, {}), lambda: None, **{name: -1})
