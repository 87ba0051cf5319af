"""Search among very many answers with a model that encodes them one by one.

`answer_index` has what a program needs: `build_index` and `AnswerIndex`. What
reads no model imports no Keras, and FAISS is imported when an index is made or
loaded.
"""
