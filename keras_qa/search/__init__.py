"""Search in large collections of answers, each encoded once by a model.

The main functions are `build.build_index`, `index.AnswerIndex` and, for two
stages, `two_stages.answer_question`. FAISS is imported only when an index is
built or loaded.
"""
