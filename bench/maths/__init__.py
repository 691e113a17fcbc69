"""The arithmetic behind the questions: numbers in, numbers out; no data frames, no SQL, no charts."""
