import type { Client } from '../client.ts'
import type { ObjectType, Wanted } from './manifest.ts'

/** An object of the service, as a child of its parent. */
export type Listed = {
  readonly id: number
  readonly type: ObjectType
  readonly name: string
}
/** A child by its place, or of a service level object or container. */
type ListedChild = Listed & {
  readonly by: 'tree' | 'link' | 'filter'
  readonly weight?: number
  readonly stateOverrides?: Readonly<Record<string, string>>
}
export type Parent = Pick<Listed, 'type' | 'id'>

/** A path of names from a group down to an object of a type. */
export type ObjectPath = { readonly type: ObjectType; readonly path: readonly string[] }

/** A part of a plan that a path can lead through: its id is null before it is created. */
type Planned = {
  readonly wanted: Wanted
  readonly id: number | null
  readonly children: readonly Planned[]
}
type Found = { readonly id: number | null }

const LEVELS: readonly ObjectType[] = ['group', 'device']

/** Finds objects below a group by their names. Each list of children is read once. */
export class Finder {
  readonly #client: Client
  readonly #known = new Map<string, Promise<readonly ListedChild[]>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** The objects below a parent by their place in the tree. */
  async below(parent: Parent): Promise<readonly ListedChild[]> {
    return (await this.#children(parent)).filter(({ by }) => by === 'tree')
  }

  /** The children of a service level object or container by links, without those by a filter. */
  async linked(parent: Parent): Promise<readonly ListedChild[]> {
    return (await this.#children(parent)).filter(({ by }) => by === 'link')
  }

  /** The object at a path, in a plan or else in the service; else null. An empty path is the parent. */
  async find(
    { type, path: [first, ...rest] }: ObjectPath,
    parent: Parent | null,
    plan: readonly Planned[] = [],
  ): Promise<Found | null> {
    if (first === undefined) return parent
    for (const level of rest.length === 0 ? [type] : LEVELS) {
      const next = await this.#named({ type: level, name: first }, parent, plan)
      if (!next) continue
      if (rest.length === 0) return next
      const at = next.id === null ? null : { type: level, id: next.id }
      const found = await this.find({ type, path: rest }, at, next.children)
      if (found) return found
    }
    return null
  }

  /** An object in a plan or else below a parent. */
  async #named(
    { type, name }: Pick<Listed, 'type' | 'name'>,
    parent: Parent | null,
    plan: readonly Planned[],
  ): Promise<(Found & Partial<Planned>) | undefined> {
    const planned = plan.find(({ wanted }) => wanted.type === type && wanted.name === name)
    if (planned || !parent) return planned
    return (await this.below(parent)).find((child) => child.type === type && child.name === name)
  }

  #children({ type, id }: Parent): Promise<readonly ListedChild[]> {
    const path = `/${type}/${id}/children`
    const known = this.#known.get(path) ?? this.#read(path)
    this.#known.set(path, known)
    return known
  }

  async #read(path: string): Promise<readonly ListedChild[]> {
    return (await this.#client.read<{ readonly items: readonly ListedChild[] }>(path)).items
  }
}

/** A path as people write it. */
export function pathText(path: readonly string[]): string {
  return path.join(' / ')
}
