import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { untilAborted } from '../../src/lib/abort.ts'
import { KeyedMutex, Mutex } from '../../src/lib/mutex.ts'

const KEPT_MAX = 20
const READY = '.ready'

/** A prepared environment, kept at least until it is released. */
export type Environment = { readonly path: string; release(): void }

/** Prepared environments by the digest of their inputs. They cannot be moved: their programs contain their paths. */
export class Environments {
  readonly #dir: string
  readonly #keptMax: number
  readonly #locks = new KeyedMutex<string>()
  readonly #users = new Map<string, number>()
  readonly #tidying = new Mutex()

  private constructor(dir: string, keptMax: number) {
    this.#dir = dir
    this.#keptMax = keptMax
  }

  /** @param keptMax number of unused environments that are kept */
  static async open(dir: string, keptMax = KEPT_MAX): Promise<Environments> {
    await mkdir(dir, { recursive: true, mode: 0o755 })
    const environments = new Environments(dir, keptMax)
    await environments.#tidying.run(() => environments.#tidy())
    return environments
  }

  /** The environment of this key. If it is missing, one job builds it in an empty directory while others wait.
   * @throws what building throws, or the signal's reason */
  async use(key: string, build: (path: string) => Promise<void>, signal: AbortSignal): Promise<Environment> {
    const path = join(this.#dir, key)
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1)
    const environment = { path, release: () => this.#release(key) }
    try {
      const ready = this.#locks.run(key, async () => {
        signal.throwIfAborted()
        await this.#makeReady(path, build)
      })
      await untilAborted(ready, signal)
      await this.#tidying.run(() => this.#tidy())
      return environment
    } catch (error) {
      environment.release()
      throw error
    }
  }

  async #makeReady(path: string, build: (path: string) => Promise<void>): Promise<void> {
    const now = new Date(Date.now())
    const isReady = await utimes(path + READY, now, now).then(
      () => true,
      () => false,
    )
    if (isReady) return
    await rm(path, { recursive: true, force: true })
    await mkdir(path)
    try {
      await build(path)
      await writeFile(path + READY, '')
    } catch (error) {
      await rm(path, { recursive: true, force: true })
      throw error
    }
  }

  #release(key: string): void {
    const users = (this.#users.get(key) ?? 1) - 1
    if (users > 0) this.#users.set(key, users)
    else this.#users.delete(key)
  }

  /** Removes unfinished environments, and the least recently used ones. */
  async #tidy(): Promise<void> {
    const names = await readdir(this.#dir)
    const isReady = new Set(
      names.filter((name) => name.endsWith(READY)).map((name) => name.slice(0, -READY.length)),
    )
    const unfinished = names.filter((name) => !name.endsWith(READY) && !isReady.has(name))
    const ready = await Promise.all([...isReady].map((name) => this.#look(name)))
    const oldest = ready.toSorted((a, b) => b.usedAt - a.usedAt).slice(this.#keptMax)
    for (const name of [...unfinished, ...oldest.map((each) => each.name)]) {
      if (!this.#users.has(name)) await this.#locks.run(name, () => this.#remove(name))
    }
  }

  async #look(name: string) {
    const { mtimeMs } = await stat(join(this.#dir, name + READY))
    return { name, usedAt: mtimeMs }
  }

  async #remove(name: string): Promise<void> {
    if (this.#users.has(name)) return
    await rm(join(this.#dir, name + READY), { force: true })
    await rm(join(this.#dir, name), { recursive: true, force: true })
  }
}
