"""Optimizers and constraints for the Poincaré ball."""

from keras_qa.optimizers.constraints import PoincareBall
from keras_qa.optimizers.riemannian import RiemannianOptimizer

__all__ = ["PoincareBall", "RiemannianOptimizer"]
