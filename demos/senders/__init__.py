"""Small programs that send to ikrig, to be taken over into one's own controller."""
