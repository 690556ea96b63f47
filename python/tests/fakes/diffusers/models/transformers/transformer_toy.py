from diffusers.models.modeling_utils import ModelMixin


class ToyBlockTransformer(ModelMixin):
    def forward(self, x):
        return x + 1


class ToyTransformer(ModelMixin):
    def __init__(self):
        self.block = ToyBlockTransformer()

    def forward(self, x):
        return self.block(x)
