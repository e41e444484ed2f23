/** Does a few jobs at a time; of those that come meanwhile only the last is done. */
export class LatestWins<Job> {
  private waiting: { job: Job } | undefined;
  private running = 0;
  private readonly slots: number;
  private readonly work: (job: Job) => Promise<void>;

  constructor(slots: number, work: (job: Job) => Promise<void>) {
    this.slots = slots;
    this.work = work;
  }

  submit(job: Job): void {
    this.waiting = { job };
    this.next();
  }

  /** Forgets what waits; what runs goes on. */
  clear(): void {
    this.waiting = undefined;
  }

  private next(): void {
    if (!this.waiting || this.running === this.slots) return;
    const { job } = this.waiting;
    this.waiting = undefined;
    this.running += 1;
    void this.work(job).finally(() => {
      this.running -= 1;
      this.next();
    });
  }
}
