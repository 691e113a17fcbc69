"""What the readers of other tools' result files share: lenient documents, checked values, sound figures, passports."""
