"""The bundled questions, and the script that makes them."""
