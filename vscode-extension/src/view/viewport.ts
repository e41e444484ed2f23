const MOST_PIXELS_PER_PIXEL = 64;

/** Which part of a picture is seen on a canvas. */
export class Viewport {
  /** Canvas pixels per picture pixel. */
  scale = 1;
  /** The picture's place at the canvas's left upper corner. */
  x = 0;
  y = 0;

  private picture = { width: 1, height: 1 };
  private canvas = { width: 1, height: 1 };
  private fitted = true;

  /** Takes new sizes; what fitted before fits again. */
  resize(picture: { width: number; height: number }, canvas: { width: number; height: number }): void {
    this.picture = picture;
    this.canvas = canvas;
    if (this.fitted) this.fit();
    else this.keepInside();
  }

  fit(): void {
    this.fitted = true;
    this.scale = this.fittingScale();
    this.keepInside();
  }

  /** Zooms by a factor; the picture's place under a canvas place stays where it is. */
  zoom(factor: number, canvasX: number, canvasY: number): void {
    const [x, y] = this.toPicture(canvasX, canvasY);
    const least = this.fittingScale();
    this.scale = Math.min(Math.max(this.scale * factor, least), Math.max(MOST_PIXELS_PER_PIXEL, least));
    this.fitted = this.scale === least;
    this.x = x - canvasX / this.scale;
    this.y = y - canvasY / this.scale;
    this.keepInside();
  }

  pan(canvasX: number, canvasY: number): void {
    this.x -= canvasX / this.scale;
    this.y -= canvasY / this.scale;
    this.keepInside();
  }

  /** Moves just so far that a pixel is in sight. */
  reveal(x: number, y: number): void {
    const width = this.canvas.width / this.scale;
    const height = this.canvas.height / this.scale;
    this.x = Math.min(Math.max(this.x, x + 1 - width), x);
    this.y = Math.min(Math.max(this.y, y + 1 - height), y);
    this.keepInside();
  }

  toPicture(canvasX: number, canvasY: number): [number, number] {
    return [this.x + canvasX / this.scale, this.y + canvasY / this.scale];
  }

  /** The whole pixels that are in sight. */
  visible(): { x: number; y: number; width: number; height: number } {
    const x = Math.max(0, Math.floor(this.x));
    const y = Math.max(0, Math.floor(this.y));
    const right = Math.min(this.picture.width, Math.ceil(this.x + this.canvas.width / this.scale));
    const bottom = Math.min(this.picture.height, Math.ceil(this.y + this.canvas.height / this.scale));
    return { x, y, width: right - x, height: bottom - y };
  }

  private fittingScale(): number {
    return Math.min(this.canvas.width / this.picture.width, this.canvas.height / this.picture.height);
  }

  private keepInside(): void {
    this.x = inside(this.x, this.picture.width, this.canvas.width / this.scale);
    this.y = inside(this.y, this.picture.height, this.canvas.height / this.scale);
  }
}

/** A start that keeps a stretch within a length, or centres what is shorter. */
function inside(start: number, length: number, stretch: number): number {
  if (stretch >= length) return (length - stretch) / 2;
  return Math.min(Math.max(start, 0), length - stretch);
}
