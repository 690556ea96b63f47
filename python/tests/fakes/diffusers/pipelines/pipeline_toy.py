from diffusers.models.autoencoders.autoencoder_toy import AutoencoderToy
from diffusers.models.transformers.transformer_toy import ToyTransformer
from diffusers.pipelines.pipeline_utils import DiffusionPipeline
from diffusers.schedulers.scheduling_toy import ToyScheduler


class ToyPipeline(DiffusionPipeline):
    def __init__(self):
        self.transformer, self.vae, self.scheduler = ToyTransformer(), AutoencoderToy(), ToyScheduler()

    def encode_prompt(self, prompt):
        return self._encode_prompt(prompt)

    def _encode_prompt(self, prompt):
        return len(prompt)

    def prepare_latents(self):
        return self.vae.encode(0)

    def one(self, t, x, cfg=2):
        for _ in range(cfg):
            noise = self.transformer(x)
        return self.scheduler.step(noise, t, x)

    def __call__(self, prompt="a", steps=3, how="with", fail_at=-1):
        """The toy's call."""
        x = self.prepare_latents() + self.encode_prompt(prompt)
        self.scheduler.set_timesteps(steps)
        if how == "with":
            with self.progress_bar(total=steps) as bar:
                for i, t in enumerate(self.scheduler.timesteps):
                    if i == fail_at:
                        raise MemoryError("CUDA out of memory")
                    x = self.one(t, x)
                    bar.update()
        elif how == "iterable":
            for i, t in enumerate(self.progress_bar(self.scheduler.timesteps)):
                x = self.one(t, x)
        elif how == "second order":  # two of the scheduler's steps for each that was asked for
            with self.progress_bar(total=steps) as bar:
                for t in self.scheduler.timesteps:
                    x = self.one(t, self.one(t, x))
                    bar.update()
        else:  # no bar at all
            for t in self.scheduler.timesteps:
                x = self.one(t, x)
        return self.vae.decode(x)
