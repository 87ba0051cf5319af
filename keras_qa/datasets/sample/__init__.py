"""The bundled questions, and the script that generates them."""
