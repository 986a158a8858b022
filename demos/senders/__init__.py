"""Small programs that send to ikrig, to copy into your own controller."""
