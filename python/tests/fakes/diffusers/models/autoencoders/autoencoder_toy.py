from diffusers.models.modeling_utils import ModelMixin


class AutoencoderToy(ModelMixin):
    def encode(self, x):
        return x

    def decode(self, x):
        return self.tiles(x)

    def tiles(self, x):
        return x
