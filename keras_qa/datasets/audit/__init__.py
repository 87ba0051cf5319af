"""Audits of data sets: counts, missing data, repetitions, overlaps, lengths."""

from keras_qa.datasets.audit.counts import audit_dataset
from keras_qa.datasets.audit.results import PERCENTILES
from keras_qa.datasets.audit.results import Audit
from keras_qa.datasets.audit.results import Overlap
from keras_qa.datasets.audit.results import PoolAudit
from keras_qa.datasets.audit.results import SplitAudit
from keras_qa.datasets.audit.tables import format_audit

__all__ = [
    "PERCENTILES",
    "Audit",
    "Overlap",
    "PoolAudit",
    "SplitAudit",
    "audit_dataset",
    "format_audit",
]
