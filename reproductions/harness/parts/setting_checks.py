"""Checks of settings of which one rules out another."""

from argparse import Namespace
from collections.abc import Collection

from reproductions.harness.errors import SettingsError
from reproductions.harness.settings import DISTILLED
from reproductions.harness.settings import PAPER
from reproductions.harness.settings import CommonSettings


def check_objective(settings: CommonSettings) -> None:
    """Refuses settings of which one rules out another.

    Raises:
        SettingsError: if a value is not allowed.
    """
    drawn = settings.objective in ("pairwise", "margin-mse")
    if drawn and settings.negatives < 1:
        raise SettingsError(
            "the setting `negatives` must be positive for "
            f"objective={settings.objective}. "
            f"Received: negatives={settings.negatives!r}"
        )
    if settings.joint_weight is not None and settings.objective == PAPER:
        raise SettingsError(
            "the setting `joint_weight` must be null for objective=paper, "
            "whose loss is for the model's score alone. "
            f"Received: joint_weight={settings.joint_weight!r}"
        )
    if not settings.average_last:
        return
    patience = getattr(settings, "patience", 0)
    if patience:
        raise SettingsError(
            "the setting `patience` must be 0 for average_last above 0, which "
            f"is of a fixed number of epochs. Received: patience={patience!r}"
        )
    if settings.average_last > settings.epochs:
        raise SettingsError(
            "the setting `average_last` must be at most `epochs`, "
            f"{settings.epochs}. "
            f"Received: average_last={settings.average_last!r}"
        )


def check_teacher(arguments: Namespace, settings: CommonSettings) -> None:
    """Refuses an objective without its teacher, and a teacher without use.

    Raises:
        SettingsError: if either is missing.
    """
    chosen = (settings.objective, settings.transfer_objective)
    asked = [objective for objective in chosen if objective in DISTILLED]
    if asked and not arguments.teacher:
        raise SettingsError(
            f"objective={asked[0]} needs `--teacher FOLDER`. Received: none"
        )
    if arguments.teacher and not asked:
        raise SettingsError(
            f"`--teacher` must go with objective={' or '.join(DISTILLED)}. "
            f"Received: objective={settings.objective}"
        )


def check_overrides(
    arguments: Namespace,
    settings: CommonSettings,
    of_others: Collection[str],
) -> None:
    """Refuses `--set` of what would change nothing.

    Args:
        arguments: the options of the command.
        settings: the settings that these give.
        of_others: the settings that only other models have.

    Raises:
        SettingsError: if the model or the objective has no such setting.
    """
    objectives = (settings.objective, settings.transfer_objective)
    for override in arguments.overrides:
        name = override.partition("=")[0]
        if name in of_others:
            raise SettingsError(
                f"the setting `{name}` is of other models than "
                f"{arguments.model}. Received: --set {override}"
            )
        if name == "label_weight" and "kl" not in objectives:
            raise SettingsError(
                f"the setting `{name}` goes with objective=kl. "
                f"Received: objective={settings.objective}"
            )
        of_first = settings.transfer_objective in DISTILLED
        if name == "mined" and settings.objective == PAPER and not of_first:
            raise SettingsError(
                f"the setting `{name}` goes with every objective but "
                f"{PAPER}, which has its own candidates. "
                f"Received: objective={settings.objective}"
            )
