"""Questions for places as data: candidates, requirements, scores, choice and fallback."""

from fieldcraft.query.question.answer import Answer, Candidates
from fieldcraft.query.question.question import Question, Questions
from fieldcraft.values.clearance import Clearance

__all__ = ["Answer", "Candidates", "Clearance", "Question", "Questions"]
