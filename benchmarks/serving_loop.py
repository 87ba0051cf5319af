"""The plain server that `benchmarks.serving` compares with.

A thread for each connection calls the ranker once for each request.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer

from keras_qa.ranker import Ranker


def main(folder: str) -> None:
    ranker = Ranker.load(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Without it, each response waits 40 ms for an acknowledgement.
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(size))
            results = [
                {"index": i, "relevance_score": score}
                for i, score in ranker.rank(asked["query"], asked["documents"])
            ]
            body = json.dumps({"results": results}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 2048
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    print(
        f"http://127.0.0.1:{server.server_port}/", file=sys.stderr, flush=True
    )
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
