"""What the folder of a sweep tells: the run as a whole, and each of its points down to the single request.

Everything is read from the plan, the journal, the status and the files of samples, and nothing is measured anew: the
figures are those of the journal, or add up to them.
"""

from bench.runs.point import PointStory, point_story
from bench.runs.run import RunStory, story

__all__ = ["PointStory", "RunStory", "point_story", "story"]
