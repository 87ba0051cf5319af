"""Search among very many answers with a model that encodes them one by one.

A program needs `building.build_index`, `answer_index.AnswerIndex` and, for two
stages, `stages.answer_question`. FAISS is imported when an index is made or
loaded, Keras when a model is.
"""
