# An image that runs the two commands of the README:
#
#   docker build -t keras_qa .
#   docker run --rm keras_qa                  # make reproduce
#   docker run --rm keras_qa make test        # the whole suite
#
# The packages are installed when the image is built. No engine has built it:
# its steps were run one by one in an empty folder.
FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /keras_qa
COPY . .
RUN make .venv/.installed-test
CMD ["make", "reproduce"]
