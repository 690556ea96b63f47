class Tqdm:
    def __init__(self, iterable=None, total=None):
        self.iterable, self.total, self.n = iterable, total, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        for v in self.iterable:
            yield v
        self.close()

    def update(self, n=1):
        self.n += n

    def close(self):
        pass


def load_sub_model(name, fails=False):
    if fails:
        raise OSError("no such component")
    return name


class DiffusionPipeline:
    def progress_bar(self, iterable=None, total=None):
        return Tqdm(iterable, total)

    @classmethod
    def from_pretrained(cls, path, fails=False):
        load_sub_model(name="vae")
        load_sub_model(name="transformer", fails=fails)
        return cls()
