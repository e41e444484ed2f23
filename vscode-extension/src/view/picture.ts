import type { Image8, Region, ShownOutput } from "../messages.ts";
import { button, fittedContext, labelled, make, select } from "./dom.ts";
import { formatElement, formatShape } from "./format.ts";
import { askRegion } from "./host.ts";
import { relevel, shade, type Shading } from "./pixels.ts";
import { Viewport } from "./viewport.ts";

/** Part of a picture as a bitmap: picture pixels `x` to `x + width`, however many bitmap pixels that are. */
interface Layer {
  bitmap: ImageBitmap;
  x: number;
  y: number;
  width: number;
  height: number;
}

const ZOOM_STEP = 1.25;
const LARGEST_EXPORT = 16_384;

/** A grid as a picture: zoom, the value under the pointer, channels, range. */
export class Picture {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly readout: HTMLOutputElement;
  private readonly lowInput: HTMLInputElement;
  private readonly highInput: HTMLInputElement;
  private readonly view = new Viewport();
  private output: ShownOutput;
  private base: Layer | undefined;
  private detail: Layer | undefined;
  private detailKey = "";
  private shading: Shading;
  /** Whether the picture is to look as the server's preview does. */
  private asPreviewed: boolean;
  private layer: number;
  /** The number of the element that is looked at by itself. */
  private leafName: string | undefined;
  private cursor: [number, number] | undefined;
  private drawing = false;
  /** Whether the base has been drawn; for measurements each picture is marked once. */
  private drawn = false;
  private detailWanted = 0;
  private imagesTaken = 0;
  private imageShown = 0;
  private readingCursor = false;

  constructor(output: ShownOutput) {
    this.output = output;
    this.layer = output.image?.layer ?? 0;
    this.asPreviewed = output.image !== undefined;
    this.leafName = this.asPreviewed ? undefined : output.leaves[0]?.name;
    this.shading = this.previewShading();
    this.canvas = make("canvas", {
      className: "picture",
      tabIndex: 0,
      role: "application",
      ariaRoleDescription: "picture",
    });
    this.readout = make("output", { className: "readout", ariaLive: "polite" });
    this.lowInput = this.rangeInput("low");
    this.highInput = this.rangeInput("high");
    this.element = make("div", {}, this.controls(), this.canvas, this.readout);
    this.listen();
    this.setRange(this.shading);
    this.update(output);
  }

  /** Shows another result of the same output; what is zoomed stays so. */
  update(output: ShownOutput): void {
    this.show(output);
    const { width, height } = this.size();
    this.canvas.style.aspectRatio = `${width} / ${height}`;
    this.canvas.ariaLabel = `${output.name}: ${output.type}, ${formatShape(output.shape)}. Arrow keys move the cursor, plus and minus zoom, 0 fits.`;
    if (this.asPreviewed) this.setRange(this.previewShading());
  }

  /** Shows the picture alone, on the way to another one: what stands around it follows with the result. */
  frame(output: ShownOutput): void {
    this.show(output);
  }

  private show(output: ShownOutput): void {
    this.output = output;
    this.detail = undefined;
    const image = output.image ?? this.partImage(output);
    if (image) void this.takeImage(image);
    else this.refresh();
  }

  /** The picture of the part that is looked at, for elements that have none as a whole. */
  private partImage(output: ShownOutput): Image8 | undefined {
    return output.parts?.find(({ name }) => name === this.leafName)?.image;
  }

  private size(): { width: number; height: number; depth: number } {
    const [width = 1, height = 1, depth = 1] = [...this.output.shape].reverse();
    return { width, height, depth };
  }

  private previewShading(): Shading {
    const { image } = this.output;
    if (!image) return { ...this.rangeOf(0), channel: 0, photo: false };
    return { low: image.low, high: image.high, channel: undefined, photo: image.photo };
  }

  /** The range that one of the element's numbers takes. */
  private rangeOf(leaf: number): { low: number; high: number } {
    const { summary } = this.output;
    const part = summary?.fields?.[leaf] ?? summary;
    const [low, high] = [Number(part?.min ?? 0), Number(part?.max ?? 1)];
    return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : { low: 0, high: 1 };
  }

  /** The picture as it is to be seen: a preview of grey comes with a range of its own. */
  private async decoded(image: Image8): Promise<ImageBitmap> {
    const bitmap = await bitmapOf(image);
    const { shading } = this;
    if (this.asPreviewed || image.channels !== 1) return bitmap;
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    if (!context) return bitmap;
    context.drawImage(bitmap, 0, 0);
    const pixels = context.getImageData(0, 0, bitmap.width, bitmap.height);
    bitmap.close();
    relevel(pixels.data, image, shading);
    return createImageBitmap(pixels);
  }

  private async takeImage(image: Image8): Promise<void> {
    const mine = ++this.imagesTaken;
    const bitmap = await this.decoded(image);
    if (mine < this.imageShown) {
      bitmap.close(); // a later one was faster
      return;
    }
    this.imageShown = mine;
    this.base?.bitmap.close();
    this.base = { bitmap, x: 0, y: 0, width: image.width * image.step, height: image.height * image.step };
    this.drawn = false;
    this.refresh();
  }

  private controls(): HTMLElement {
    const { leaves } = this.output;
    const { depth } = this.size();
    const parts: HTMLElement[] = [
      button(
        "+",
        () => {
          this.zoomCentre(ZOOM_STEP);
        },
        "Zoom in",
      ),
      button(
        "−",
        () => {
          this.zoomCentre(1 / ZOOM_STEP);
        },
        "Zoom out",
      ),
      button("Fit", () => {
        this.view.fit();
        this.refresh();
      }),
    ];
    if (leaves.length > 0) {
      parts.push(labelled("from", this.lowInput), labelled("to", this.highInput));
      parts.push(
        button("Reset range", () => {
          this.resetShading();
        }),
      );
    }
    if (leaves.length > 1) {
      const all = this.output.image ? ["all"] : [];
      const chooser = select([...all, ...leaves.map(({ name }) => name)], (i) => {
        this.choose(i - all.length);
      });
      parts.push(labelled("channel", chooser));
    }
    if (depth > 1 && leaves.length > 0) {
      const slice = make("input", { type: "range", min: "0", max: String(depth - 1), value: String(this.layer) });
      slice.oninput = () => {
        this.layer = slice.valueAsNumber;
        this.changeShading({});
      };
      parts.push(labelled("z", slice));
    }
    return make("div", { className: "toolbar" }, ...parts);
  }

  private rangeInput(end: "low" | "high"): HTMLInputElement {
    const input = make("input", { type: "number", step: "any", className: "number" });
    input.onchange = () => {
      if (Number.isFinite(input.valueAsNumber)) this.changeShading({ [end]: input.valueAsNumber });
    };
    return input;
  }

  private setRange(shading: Shading): void {
    this.shading = shading;
    this.lowInput.value = rounded(shading.low);
    this.highInput.value = rounded(shading.high);
  }

  /** Shows one leaf in grey; -1 is all of them. */
  private choose(leaf: number): void {
    this.leafName = this.output.leaves[leaf]?.name;
    if (leaf < 0) this.changeShading(this.previewShading());
    else this.changeShading({ channel: leaf, photo: false, ...this.rangeOf(leaf) });
  }

  private changeShading(change: Partial<Shading>): void {
    this.asPreviewed = false;
    this.detail = undefined;
    this.setRange({ ...this.shading, ...change });
    this.refresh();
  }

  private resetShading(): void {
    this.asPreviewed = this.output.image !== undefined;
    this.detail = undefined;
    for (const chooser of this.element.querySelectorAll("select")) chooser.selectedIndex = 0;
    this.setRange(this.previewShading());
    this.refresh();
  }

  private listen(): void {
    const { canvas } = this;
    new ResizeObserver(() => {
      this.refresh();
    }).observe(canvas);
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const [x, y] = canvasPlace(event);
        this.view.zoom(ZOOM_STEP ** (-event.deltaY / 100), x, y);
        this.refresh();
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) {
        this.view.pan(event.movementX * devicePixelRatio, event.movementY * devicePixelRatio);
        this.refresh();
      }
      const [x, y] = this.view.toPicture(...canvasPlace(event));
      this.moveCursor(Math.floor(x), Math.floor(y));
    });
    canvas.addEventListener("keydown", (event) => {
      this.key(event);
    });
  }

  private key(event: KeyboardEvent): void {
    const far = event.shiftKey ? 10 : 1;
    const [x, y] = this.cursor ?? [0, 0];
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [x - far, y],
      ArrowRight: [x + far, y],
      ArrowUp: [x, y - far],
      ArrowDown: [x, y + far],
    };
    const move = moves[event.key];
    if (move) {
      const { width, height } = this.size();
      this.moveCursor(Math.min(Math.max(move[0], 0), width - 1), Math.min(Math.max(move[1], 0), height - 1));
      if (this.cursor) this.view.reveal(...this.cursor);
      this.refresh();
    } else if (event.key === "+" || event.key === "=") this.zoomCentre(ZOOM_STEP);
    else if (event.key === "-") this.zoomCentre(1 / ZOOM_STEP);
    else if (event.key === "0") {
      this.view.fit();
      this.refresh();
    } else return;
    event.preventDefault();
  }

  private zoomCentre(factor: number): void {
    this.view.zoom(factor, this.canvas.width / 2, this.canvas.height / 2);
    this.refresh();
  }

  private moveCursor(x: number, y: number): void {
    const { width, height } = this.size();
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    this.cursor = [x, y];
    if (!this.readingCursor) void this.readCursor();
  }

  /** Reads the value under the cursor; while it is on its way the cursor may move on. */
  private async readCursor(): Promise<void> {
    if (this.output.leaves.length === 0) return;
    this.readingCursor = true;
    try {
      for (let seen; seen !== this.cursor;) {
        seen = this.cursor;
        if (!seen) return;
        const [x, y] = seen;
        const found = await askRegion({ output: this.output.name, x, y, z: this.layer, width: 1, height: 1, step: 1 });
        this.readout.value = found ? `(${x}, ${y})  ${formatElement(this.output.leaves, found.values)}` : "";
      }
    } finally {
      this.readingCursor = false;
    }
  }

  /** Draws with the next frame of the screen. */
  private refresh(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
      if (this.needsDetail()) void this.fetchDetail();
    });
  }

  private draw(): void {
    const context = fittedContext(this.canvas);
    this.view.resize(this.size(), this.canvas);
    const { scale, x, y } = this.view;
    context.resetTransform();
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
    context.imageSmoothingEnabled = scale < 1;
    // While a slider is dragged there is nothing but previews.
    const hasValues = this.output.leaves.length > 0;
    for (const layer of [this.asPreviewed || !hasValues ? this.base : undefined, this.detail]) {
      if (layer) context.drawImage(layer.bitmap, layer.x, layer.y, layer.width, layer.height);
    }
    if (this.base && !this.drawn) {
      this.drawn = true;
      performance.mark("kcheck.picture");
    }
    if (this.cursor && document.activeElement === this.canvas) {
      context.lineWidth = 2 / scale;
      context.strokeStyle = "#ff8c00";
      context.strokeRect(this.cursor[0], this.cursor[1], 1, 1);
    }
  }

  /** Whether the values show more than the preview does. */
  private needsDetail(): boolean {
    if (this.output.leaves.length === 0) return false;
    const { width, height } = this.view.visible();
    if (width <= 0 || height <= 0) return false;
    if (!this.asPreviewed || !this.base) return true;
    const previewScale = this.base.bitmap.width / this.base.width;
    return previewScale < Math.min(1, this.view.scale);
  }

  private async fetchDetail(): Promise<void> {
    const wanted = this.regionInSight();
    const key = JSON.stringify([wanted, this.shading, this.output.name]);
    const mine = ++this.detailWanted;
    if (this.detail && this.detailKey === key) return;
    const output = this.output;
    const found = await askRegion(wanted);
    // Moved on meanwhile, or another result: the frame after that has asked anew.
    if (!found || found.rows * found.columns === 0 || mine !== this.detailWanted || output !== this.output) return;
    const pixels = new ImageData(shade(found, this.shading), found.columns, found.rows);
    const bitmap = await createImageBitmap(pixels);
    this.detail?.bitmap.close();
    const { x, y, step } = wanted;
    this.detail = { bitmap, x, y, width: found.columns * step, height: found.rows * step };
    this.detailKey = key;
    this.draw();
  }

  private regionInSight(): Region {
    const step = Math.max(1, Math.floor(1 / this.view.scale));
    return { output: this.output.name, z: this.layer, step, ...this.view.visible() };
  }

  /** The whole picture as a PNG file's bytes, in full size where the values are there. */
  async png(): Promise<Uint8Array> {
    const { width, height } = this.size();
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (!context || Math.max(width, height) > LARGEST_EXPORT)
      throw new Error("this picture is too large for a PNG file");
    if (this.base && (this.output.leaves.length === 0 || (this.asPreviewed && this.base.bitmap.width === width))) {
      context.drawImage(this.base.bitmap, 0, 0, width, height);
    } else {
      const strip = Math.max(1, Math.floor((1 << 20) / width));
      for (let y = 0; y < height; y += strip) {
        const found = await askRegion({
          output: this.output.name,
          x: 0,
          y,
          z: this.layer,
          width,
          height: strip,
          step: 1,
        });
        if (!found) throw new Error("the values are gone; run the kernel again");
        context.putImageData(new ImageData(shade(found, this.shading), found.columns, found.rows), 0, y);
      }
    }
    return new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
  }
}

/** Decodes a file's bytes: where there is a decoder, without the detour of a Blob, which is as dear as all the rest. */
async function bitmapOf({ bytes, mime }: Image8): Promise<ImageBitmap> {
  const data = bytes as Uint8Array<ArrayBuffer>;
  if (typeof ImageDecoder === "undefined") return createImageBitmap(new Blob([data], { type: mime }));
  const decoder = new ImageDecoder({ data, type: mime });
  try {
    const { image } = await decoder.decode();
    const bitmap = await createImageBitmap(image);
    image.close();
    return bitmap;
  } finally {
    decoder.close();
  }
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function canvasPlace(event: MouseEvent): [number, number] {
  return [event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio];
}
