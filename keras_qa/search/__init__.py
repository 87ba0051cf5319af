"""Search in large collections of answers, each encoded once by a model.

A program needs `build.build_index`, `index.AnswerIndex` and, for two stages,
`two_stages.answer_question`. FAISS is imported when an index is made or loaded,
Keras when a model is.
"""
