"""Training and inference steps of one model in each framework.

A training step returns the model's outputs and the gradients: if it returned
only gradients, a compiler could drop the forward pass of a linear layer, whose
gradient does not need it, and the time would be too low. The gradient is that
of the sum of the outputs times a fixed random array, which is passed as the
outputs' gradient. All arrays are arguments of the compiled step, so that the
compiler does not treat them as constants.

Each class has the methods of `Steps` and imports its framework when an instance
is made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from typing import Any
from typing import Protocol

import numpy as np

Step = Callable[[], Any]


@dataclass
class Work:
    """What a step computes.

    Attributes:
        model: called with inputs, masks and `training`; returns a list.
        inputs: arrays on the device.
        masks: for each input a boolean array on the device, or `None`.
        mode: one of the framework's `modes`.
        upstream: the gradients of the outputs, for a training step.
        to_inputs: True if a training step also returns the gradients to the
            inputs, after those to the weights.
    """

    model: Any
    inputs: list
    masks: list
    mode: str
    upstream: list = field(default_factory=list)
    to_inputs: bool = False


class Steps(Protocol):
    """A framework's interface; `modes` are its ways to compile a step."""

    modes: tuple[str, ...]

    def __init__(self, cores: int, tf32: bool): ...

    def device(self) -> tuple[str, str]:
        """The device's kind, `cpu` or `gpu`, and its name."""

    def place(self, array: np.ndarray) -> Any:
        """Copies an array to the device."""

    def array(self, placed: Any) -> np.ndarray:
        """Copies an array from `place` or a step to NumPy."""

    def finish(self, result: Any) -> None:
        """Waits until the device has finished all computations."""

    def training(self, work: Work) -> Step:
        """Makes a step that returns outputs and a list of gradients."""

    def inference(self, work: Work) -> Step:
        """Makes a step that returns the list of outputs."""


class TensorFlowSteps(Steps):
    """Steps as `tf.function`s, without XLA (`graph`) and with XLA (`xla`)."""

    modes = ("graph", "xla")

    def __init__(self, cores: int, tf32: bool):
        import tensorflow as tf

        self.tf = tf
        # TensorFlow warns that every new step is compiled.
        tf.get_logger().setLevel("ERROR")
        tf.config.experimental.enable_tensor_float_32_execution(tf32)

    def device(self) -> tuple[str, str]:
        devices = self.tf.config.list_physical_devices("GPU")
        if not devices:
            return "cpu", "cpu"
        details = self.tf.config.experimental.get_device_details(devices[0])
        return "gpu", details.get("device_name", devices[0].name)

    def place(self, array: np.ndarray) -> Any:
        return self.tf.constant(array)

    def array(self, placed: Any) -> np.ndarray:
        return placed.numpy()

    def finish(self, result: Any) -> None:
        self.tf.test.experimental.sync_devices()

    def training(self, work: Work) -> Step:
        tf = self.tf
        weights = [
            variable.value for variable in work.model.trainable_variables
        ]

        @tf.function(jit_compile=work.mode == "xla")
        def step(inputs: list, masks: list, upstream: list) -> Any:
            sources = weights + (inputs if work.to_inputs else [])
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(sources)
                outputs = work.model(inputs, masks, training=True)
            return outputs, tape.gradient(outputs, sources, upstream)

        return lambda: step(work.inputs, work.masks, work.upstream)

    def inference(self, work: Work) -> Step:
        step = self.tf.function(
            lambda inputs, masks: work.model(inputs, masks, training=False),
            jit_compile=work.mode == "xla",
        )
        return lambda: step(work.inputs, work.masks)


class JaxSteps(Steps):
    """Steps compiled with `jax.jit`, which uses XLA."""

    modes = ("xla",)

    def __init__(self, cores: int, tf32: bool):
        import jax

        self.jax = jax
        jax.config.update(
            "jax_default_matmul_precision",
            "tensorfloat32" if tf32 else "float32",
        )

    def device(self) -> tuple[str, str]:
        return self.jax.default_backend(), self.jax.devices()[0].device_kind

    def place(self, array: np.ndarray) -> Any:
        return self.jax.device_put(array)

    def array(self, placed: Any) -> np.ndarray:
        return np.asarray(placed)

    def finish(self, result: Any) -> None:
        self.jax.block_until_ready(result)

    def training(self, work: Work) -> Step:
        weights = [
            variable.value for variable in work.model.trainable_variables
        ]
        others = [
            variable.value for variable in work.model.non_trainable_variables
        ]

        def forward(
            weights: list, inputs: list, others: list, masks: list
        ) -> list:
            return work.model.stateless_call(
                weights, others, inputs, masks, training=True
            )[0]

        @self.jax.jit
        def step(
            weights: list,
            inputs: list,
            others: list,
            masks: list,
            upstream: list,
        ) -> Any:
            if work.to_inputs:
                outputs, pull = self.jax.vjp(
                    lambda w, x: forward(w, x, others, masks), weights, inputs
                )
            else:
                outputs, pull = self.jax.vjp(
                    lambda w: forward(w, inputs, others, masks), weights
                )
            return outputs, [g for part in pull(upstream) for g in part]

        return lambda: step(
            weights, work.inputs, others, work.masks, work.upstream
        )

    def inference(self, work: Work) -> Step:
        weights = [
            variable.value for variable in work.model.trainable_variables
        ]
        others = [
            variable.value for variable in work.model.non_trainable_variables
        ]

        @self.jax.jit
        def step(weights: list, others: list, inputs: list, masks: list) -> Any:
            return work.model.stateless_call(
                weights, others, inputs, masks, training=False
            )[0]

        return lambda: step(weights, others, work.inputs, work.masks)


class TorchSteps(Steps):
    """PyTorch steps, uncompiled (`eager`) or `torch.compile`d (`compile`)."""

    modes = ("eager", "compile")

    def __init__(self, cores: int, tf32: bool):
        import torch

        self.torch = torch
        torch.set_num_threads(cores)
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        self.place_on = "cuda" if torch.cuda.is_available() else "cpu"

    def device(self) -> tuple[str, str]:
        if self.place_on == "cpu":
            return "cpu", "cpu"
        return "gpu", self.torch.cuda.get_device_name()

    def place(self, array: np.ndarray) -> Any:
        return self.torch.from_numpy(array).to(self.place_on)

    def array(self, placed: Any) -> np.ndarray:
        return placed.detach().cpu().numpy()

    def finish(self, result: Any) -> None:
        if self.place_on == "cuda":
            self.torch.cuda.synchronize()

    def training(self, work: Work) -> Step:
        inputs = [x.clone().requires_grad_(work.to_inputs) for x in work.inputs]
        sources = [p for p in work.model.parameters() if p.requires_grad]
        sources += inputs if work.to_inputs else []
        forward = self._forward(work)

        def step() -> Any:
            outputs = forward(inputs, work.masks, training=True)
            return outputs, self.torch.autograd.grad(
                outputs, sources, work.upstream
            )

        return step

    def inference(self, work: Work) -> Step:
        forward = self._forward(work)

        def step() -> Any:
            with self.torch.no_grad():
                return forward(work.inputs, work.masks, training=False)

        return step

    def _forward(self, work: Work) -> Callable:
        if work.mode != "compile":
            return work.model
        # All Keras models share code, so their recompilations add up.
        dynamo: Any = self.torch._dynamo.config
        dynamo.recompile_limit = dynamo.accumulated_recompile_limit = 10_000
        return self.torch.compile(work.model)

    def lstm(self, features: int, units: int) -> Any:
        """`torch.nn.LSTM` with the call signature of the other models."""
        torch: Any = self.torch
        torch.manual_seed(0)

        class TorchLSTM(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.lstm = torch.nn.LSTM(features, units, batch_first=True)

            def forward(
                self, texts: list, masks: list, training: bool = False
            ) -> list:
                self.train(training)
                return [self.lstm(text)[0] for text in texts]

        return TorchLSTM().to(self.place_on)

    def copy(self, numbers: int) -> Step:
        """Copies an array of N float32 numbers into another."""
        source = self.torch.ones(numbers, device=self.place_on)
        target = self.torch.zeros_like(source)
        return lambda: target.copy_(source)


STEPS: dict[str, type[Steps]] = {
    "tensorflow": TensorFlowSteps,
    "jax": JaxSteps,
    "torch": TorchSteps,
}
