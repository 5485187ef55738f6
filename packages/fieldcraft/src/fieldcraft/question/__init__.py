"""Questions for places as data: candidates, requirements, scores, choice and fallback."""

from fieldcraft.question.answer import Answer, Candidates
from fieldcraft.question.clearance import Clearance
from fieldcraft.question.question import Question, Questions

__all__ = ["Answer", "Candidates", "Clearance", "Question", "Questions"]
