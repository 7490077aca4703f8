import { logIn, speakTo } from '../api/client.ts'
import type { Answer, Body, Request, Speaker } from '../api/client.ts'
import { good } from '../api/suite.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { ADMIN } from '../hosts/host.ts'
import { StoryError } from './parser.ts'
import type { Line, Story } from './parser.ts'

/** Something that a story gave a name to. */
export type Thing = {
  readonly type: 'group' | 'device' | 'job' | 'slo' | 'slc'
  readonly id: number
  readonly madeAt: number
  /** The names of its numbers and texts, as the latest configuration has them. */
  numbers: readonly string[]
  texts: readonly string[]
  pushPath: string | null
}

/** A line of a list that is expected or was found, by what its columns are called. */
export type Row = Readonly<Record<string, string | number | null>>

/** What the lines below a heading have left for it. */
export type Draft = {
  /** Fields of an object. */
  body: Body
  children: Body[]
  query: Record<string, string>
  rows: Row[]
}

const ROOT = 1
const SESSION_MS = 23 * 3_600_000

/** Where stories are played, one after the other: a host, and who speaks to it. */
export class Stage {
  readonly hand: HostByHand
  readonly #speaker: Speaker
  readonly #sessionIds: { administrator?: string }
  #now = 0
  #signedInAt = Number.NEGATIVE_INFINITY

  private constructor(hand: HostByHand, speaker: Speaker, sessionIds: { administrator?: string }) {
    this.hand = hand
    this.#speaker = speaker
    this.#sessionIds = sessionIds
  }

  static async open(hand: HostByHand): Promise<Stage> {
    const sessionIds = {}
    return new Stage(hand, await speakTo(hand.host, { sessionIds }), sessionIds)
  }

  get now(): number {
    return this.#now
  }

  async moveTo(at: number): Promise<void> {
    await this.hand.moveTo(at)
    this.#now = at
  }

  async awayUntil(at: number): Promise<void> {
    await this.hand.awayUntil(at)
    this.#now = at
  }

  async request(method: string, path: string, request: Request = {}): Promise<Answer> {
    // A session lasts a day, and stories leap through the years; those that play earlier find it open still.
    if (this.#now > this.#signedInAt + SESSION_MS) {
      this.#signedInAt = this.#now
      this.#sessionIds.administrator = await logIn(this.#speaker, ADMIN)
    }
    return this.#speaker.request(method, path, request)
  }
}

/** One story being played: what has been named so far, in a group of its own. */
export class Play {
  readonly stage: Stage
  readonly title: string
  /** The answer to the latest delivery. */
  delivered: Body = {}
  readonly #things = new Map<string, Thing>()
  /** Where revaluations are, by what they are called. */
  readonly revaluations = new Map<string, string>()
  #group: Thing | null = null
  #device: Thing | null = null
  #hasBegun = false

  constructor(stage: Stage, title: string) {
    this.stage = stage
    this.title = title
  }

  thing(name: string): Thing {
    const thing = this.#things.get(name)
    if (!thing) throw new RangeError(`nothing is called "${name}"`)
    return thing
  }

  /** The name of a thing by its id, for what is shown. */
  nameOf(id: unknown): string {
    return [...this.#things].find(([, thing]) => thing.id === id)?.[0] ?? `#${String(id)}`
  }

  /** Lets time pass. The first instant of a story may be any. @throws {RangeError} for going back */
  async moveTo(at: number): Promise<void> {
    if (this.#hasBegun && at < this.stage.now) throw new RangeError('a story does not go back in time')
    this.#hasBegun = true
    await this.stage.moveTo(at)
  }

  /** Creates an object below another, or where all others of the story are, and names it. */
  async make(type: Thing['type'], name: string, { parent, body = {} }: { parent?: string; body?: Body }) {
    if (this.#things.has(name)) throw new RangeError(`something is called "${name}" already`)
    const above = parent === undefined ? await this.#usualParent(type) : this.thing(parent)
    const made = await this.#create(type, above, { name, ...body })
    this.#things.set(name, made)
    return made
  }

  forget(name: string): void {
    this.#things.delete(name)
  }

  /** Asks for something and takes no refusal. */
  ask<Result = Body>(method: string, path: string, json?: unknown): Promise<Result> {
    return good<Result>(this.stage.request(method, path, json === undefined ? {} : { json }))
  }

  read(name: string): Promise<Body> {
    const { type, id } = this.thing(name)
    return this.ask('GET', `/${type}s/${id}${type === 'job' ? '?values=true&thresholds=true' : ''}`)
  }

  /** Removes everything that the story made. */
  async close(): Promise<void> {
    if (this.#group) await this.ask('DELETE', `/groups/${this.#group.id}?recursive=true`)
  }

  async #usualParent(type: Thing['type']): Promise<Thing> {
    this.#group ??= await this.#create('group', { type: 'group', id: ROOT }, { name: this.title })
    if (type !== 'job') return this.#group
    return (this.#device ??= await this.#create('device', this.#group, { name: 'the usual device' }))
  }

  async #create(type: Thing['type'], parent: Pick<Thing, 'type' | 'id'>, body: Body): Promise<Thing> {
    const path = `/${type}s?parentType=${parent.type}&parentId=${parent.id}`
    const { id } = await this.ask<{ id: number }>('POST', path, body)
    return { type, id, madeAt: this.stage.now, numbers: [], texts: [], pushPath: null }
  }
}

/** Plays a story to its end. @throws {StoryError} naming the line that went wrong, and why */
export async function playStory(stage: Stage, story: Story): Promise<void> {
  const play = new Play(stage, story.title)
  try {
    for (const line of story.lines) await playLine(play, line)
  } finally {
    await play.close()
  }
}

async function playLine(play: Play, line: Line): Promise<void> {
  const draft: Draft = { body: {}, children: [], query: {}, rows: [] }
  for (const { word, given, ...place } of [...line.below, line]) {
    try {
      await word.run(play, given, draft)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new StoryError(place, `${place.text}\n${reason}`, error)
    }
  }
}
