"""Messages of model servers, made from the numbers that they publish.

Of tensorflow_serving/apis/{prediction_log,predict,model}.proto,
tensorflow_serving/config/model_server_config.proto and
tensorflow_serving/servables/tensorflow/session_bundle_config.proto
(https://github.com/tensorflow/serving), and of protobuf/model_config.proto
(https://github.com/triton-inference-server/common), the fields that the kit
writes: the name of a field, its number and its type; "*" marks repeated ones.
"""

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory
from google.protobuf import wrappers_pb2
from tensorflow.core.framework import tensor_pb2

SERVING = {
    "PredictionLog": {"predict_log": (6, "PredictLog")},
    "PredictLog": {"request": (1, "PredictRequest")},
    "PredictRequest": {
        "model_spec": (1, "ModelSpec"),
        # On the wire, a map is a repeated message.
        "inputs": (2, "InputsEntry*"),
    },
    "InputsEntry": {
        "key": (1, "string"),
        "value": (2, ".tensorflow.TensorProto"),
    },
    "ModelSpec": {"name": (1, "string"), "signature_name": (3, "string")},
    "ModelServerConfig": {"model_config_list": (1, "ModelConfigList")},
    "ModelConfigList": {"config": (1, "ModelConfig*")},
    "ModelConfig": {
        "name": (1, "string"),
        "base_path": (2, "string"),
        "model_platform": (4, "string"),
    },
    "BatchingParameters": {
        "max_batch_size": (1, ".google.protobuf.Int64Value"),
        "batch_timeout_micros": (2, ".google.protobuf.Int64Value"),
        "max_enqueued_batches": (3, ".google.protobuf.Int64Value"),
        "num_batch_threads": (4, ".google.protobuf.Int64Value"),
    },
}
TRITON = {
    "ModelConfig": {
        "name": (1, "string"),
        "max_batch_size": (4, "int32"),
        "input": (5, "ModelInput*"),
        "output": (6, "ModelOutput*"),
        "dynamic_batching": (11, "ModelDynamicBatching"),
        "backend": (17, "string"),
    },
    "ModelInput": {
        "name": (1, "string"),
        "data_type": (2, "DataType"),
        "dims": (4, "int64*"),
    },
    "ModelOutput": {
        "name": (1, "string"),
        "data_type": (2, "DataType"),
        "dims": (3, "int64*"),
    },
    "ModelDynamicBatching": {"max_queue_delay_microseconds": (2, "uint64")},
}
DATA_TYPES = {"TYPE_INVALID": 0, "TYPE_INT32": 8, "TYPE_FP32": 11}


def messages(package, described):
    """The classes of messages by name."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto",
        package=package,
        syntax="proto3",
        dependency=[
            "google/protobuf/wrappers.proto",
            tensor_pb2.DESCRIPTOR.name,
        ],
    )
    kinds = descriptor_pb2.FieldDescriptorProto
    data_type = file.enum_type.add(name="DataType")
    for name, number in DATA_TYPES.items():
        data_type.value.add(name=name, number=number)
    for name, fields in described.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            many, kind = kind.endswith("*"), kind.rstrip("*")
            added = message.field.add(name=field, number=number)
            added.label = kinds.LABEL_REPEATED if many else kinds.LABEL_OPTIONAL
            if kind in ("string", "int32", "int64", "uint64"):
                added.type = getattr(kinds, f"TYPE_{kind.upper()}")
                continue
            enum = kind == "DataType"
            added.type = kinds.TYPE_ENUM if enum else kinds.TYPE_MESSAGE
            local = not kind.startswith(".")
            added.type_name = f".{package}.{kind}" if local else kind
    pool = descriptor_pool.Default()
    assert wrappers_pb2.DESCRIPTOR and tensor_pb2.DESCRIPTOR
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(
            pool.FindMessageTypeByName(f"{package}.{name}")
        )
        for name in described
    }
