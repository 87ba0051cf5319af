"""Exports of trained models for use without this library's training code."""
