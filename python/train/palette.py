"""The colours, shapes and directions of the training clips. Imports nothing."""

COLOURS = {
    "red": (220, 40, 40), "green": (40, 180, 60), "blue": (40, 80, 225), "yellow": (245, 220, 50),
    "purple": (150, 50, 190), "orange": (250, 140, 30), "cyan": (60, 210, 230), "white": (245, 245, 245),
    "black": (15, 15, 15), "gray": (128, 128, 128),
}
SHAPE_COLOURS = ["red", "green", "blue", "yellow", "purple", "orange", "cyan", "white"]
BACKGROUNDS = ["black", "white", "gray", "blue", "green", "red"]
SHAPES = ["circle", "square", "triangle"]
DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}  # y grows downwards
