"""A queue of jobs that processes share: a journal of Optuna in a folder.

Optuna keeps the order, gives each job to one process and notes what became of
it. Its journal cannot tell a running job from that of a killed process, so a
process also owns a file while it works, whose lock ends with the process.
"""

from collections.abc import Callable
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keras_qa.errors import OwnedError
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import OwnerFile
from keras_qa.files.locks import locked
from reproductions.harness.errors import QueueError

JOURNAL = "journal.log"
# What a job has in Optuna's journal.
NAME, WORK, TRIES = "name", "work", "tries"


@dataclass(frozen=True)
class Job:
    """A job that this process has taken.

    Attributes:
        name: its name.
        work: JSON values that say what is to be done.
        first: True if it has not been tried before.
        number: its number in the journal.
        owner: what other processes see that it is being done by.
    """

    name: str
    work: Any
    first: bool
    number: int
    owner: OwnerFile


class Queue:
    """Jobs by name, each done once by one of the processes that share it.

    Args:
        folder: the folder of the queue, made if it does not exist. Without it
            nothing but the order and the tries are forgotten.
        retries: a failed job, or one whose process was killed, is tried again
            as many times, after those that wait.

    Raises:
        ImportError: if Optuna is not installed.
        QueueError: if the journal is broken.
    """

    def __init__(self, folder: Path, retries: int = 0):
        try:
            import optuna
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend
        except ImportError as error:
            raise ImportError(
                "Studies need Optuna: pip install 'keras-qa[study]'"
            ) from error
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.folder = folder
        self.retries = retries
        self._state = optuna.trial.TrialState
        path = folder / JOURNAL
        with self._alone():
            try:
                self._study = optuna.create_study(
                    storage=JournalStorage(JournalFileBackend(str(path))),
                    study_name="queue",
                    load_if_exists=True,
                )
            except ValueError as error:
                raise QueueError(
                    f"{path}: expected a journal of Optuna; remove it when no "
                    "process uses it: finished runs are known by their "
                    f"folders. Received: {error}"
                ) from error

    def add(self, jobs: Mapping[str, Any], done: Callable[[str], bool]) -> None:
        """Puts jobs at the end, except for those that wait, run or are done.

        Args:
            jobs: JSON values that say what is to be done, by name. A job that
                has changed replaces the one that waits, and one that was given
                up is added.
            done: tells of a job whether its result is there.
        """
        with self._alone():
            latest = self._latest()
            for name, work in jobs.items():
                old = latest.get(name)
                if (
                    old is None
                    or old.user_attrs[WORK] != work
                    or self._given_up(old)
                    or (old.state == self._state.COMPLETE and not done(name))
                ):
                    self._enqueue(name, work, 0)

    def take(self) -> Job | None:
        """Takes the first job that waits; None if there is none."""
        with self._alone():
            self._put_back()
            while True:
                # Without one that waits, Optuna would make up a new trial.
                if not self._study.get_trials(
                    deepcopy=False, states=(self._state.WAITING,)
                ):
                    return None
                trial = self._study.ask()
                name = trial.user_attrs[NAME]
                if trial.number == self._latest()[name].number:
                    break
                # The job has changed while it waited.
                self._tell(trial.number, self._state.FAIL)
            owner = self._owner(trial.number)
            owner.take()
        found = trial.user_attrs
        first = found[TRIES] == 0
        return Job(found[NAME], found[WORK], first, trial.number, owner)

    def end(self, job: Job, done: bool | None) -> None:
        """Says what became of a job.

        Args:
            job: what `take` returned.
            done: False if it has failed; None if it was interrupted, which is
                not counted as a try.
        """
        states = self._state
        state = {True: states.COMPLETE, False: states.FAIL, None: states.PRUNED}
        self._tell(job.number, state[done])
        job.owner.release()

    def running(self) -> bool:
        """True if a process works on a job."""
        trials = self._latest().values()
        return any(trial.state == self._state.RUNNING for trial in trials)

    def given_up(self) -> list[str]:
        """The names of the jobs that have failed and are not tried again."""
        latest = self._latest().items()
        return [name for name, trial in latest if self._given_up(trial)]

    def failed(self) -> list[str]:
        """The names of the jobs whose last try has failed, if none runs now."""
        states = self._state
        return [
            name
            for name, trial in self._latest().items()
            if trial.state == states.FAIL
            or (trial.user_attrs[TRIES] and trial.state == states.WAITING)
        ]

    def done(self) -> list[str]:
        """The names of the jobs that are done."""
        latest = self._latest().items()
        return [n for n, trial in latest if trial.state == self._state.COMPLETE]

    def _alone(self) -> AbstractContextManager[int]:
        return locked(self.folder / "lock")

    def _owner(self, number: int) -> OwnerFile:
        return OwnerFile(self.folder / f"{number}-{RUNNING}")

    def _enqueue(self, name: str, work: Any, tries: int) -> None:
        attributes = {NAME: name, WORK: work, TRIES: tries}
        self._study.enqueue_trial({}, user_attrs=attributes)

    def _tell(self, number: int, state: Any) -> None:
        values = 0.0 if state == self._state.COMPLETE else None
        self._study.tell(number, values, state=state)

    def _latest(self) -> dict[str, Any]:
        """The last trial of each job."""
        trials = self._study.get_trials(deepcopy=False)
        return {trial.user_attrs[NAME]: trial for trial in trials}

    def _given_up(self, trial: Any) -> bool:
        failed = trial.state == self._state.FAIL
        return failed and trial.user_attrs[TRIES] >= self.retries

    def _put_back(self) -> None:
        """Puts failed and interrupted jobs, and those of the dead, back."""
        states = self._state
        for name, trial in self._latest().items():
            tries, state = trial.user_attrs[TRIES], trial.state
            if state == states.RUNNING:
                owner = self._owner(trial.number)
                try:
                    owner.check(patience=0)
                except OwnedError:
                    continue
                self._tell(trial.number, states.FAIL)
                owner.path.unlink(missing_ok=True)
                state = states.FAIL
            if state == states.PRUNED:
                self._enqueue(name, trial.user_attrs[WORK], tries)
            elif state == states.FAIL and tries < self.retries:
                self._enqueue(name, trial.user_attrs[WORK], tries + 1)
