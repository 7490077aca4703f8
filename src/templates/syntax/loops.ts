/** A loop around an element. Its names are empty between `list` and its `items`. */
type Loop = { names: readonly string[]; kind: 'list' | 'items' | 'foreach' | 'call' }

/** The loops and switches around an element, while a template is parsed. */
export class Loops {
  #loops: Loop[] = []
  #breakable = 0
  #continuable = 0

  has(name: string): boolean {
    const loop = this.#loops.findLast(({ names }) => names.includes(name))
    return loop !== undefined && loop.kind !== 'call'
  }

  /** Runs `read` where a call has parameters with the names of loop variables. */
  hiding<T>(names: readonly string[], read: () => T): T {
    this.#loops.push({ names, kind: 'call' })
    const result = read()
    this.#loops.pop()
    return result
  }

  get innermost(): Loop | undefined {
    return this.#loops.at(-1)
  }

  get canBreak(): boolean {
    return this.#breakable > 0
  }

  get canContinue(): boolean {
    return this.#continuable > 0
  }

  /** Runs `read` in a loop. */
  within<T>(loop: Loop, read: (loop: Loop) => T): T {
    this.#loops.push(loop)
    const result = loop.names.length > 0 ? this.repeating(() => read(loop)) : read(loop)
    this.#loops.pop()
    return result
  }

  /** Runs `read` where `break` and `continue` are allowed. */
  repeating<T>(read: () => T): T {
    this.#continuable += 1
    const result = this.switching(read)
    this.#continuable -= 1
    return result
  }

  /** Runs `read` where `break` is allowed. */
  switching<T>(read: () => T): T {
    this.#breakable += 1
    const result = read()
    this.#breakable -= 1
    return result
  }

  /** Runs `read` in a definition, which is in no loop. */
  outside<T>(read: () => T): T {
    const kept = [this.#loops, this.#breakable, this.#continuable] as const
    ;[this.#loops, this.#breakable, this.#continuable] = [[], 0, 0]
    const result = read()
    ;[this.#loops, this.#breakable, this.#continuable] = kept
    return result
  }
}
