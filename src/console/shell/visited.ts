export type Visited = { readonly type: string; readonly id: number; readonly name: string }

const KEY = 'tidemark.visited'
const KEPT_MAX = 20

/** The objects that this browser showed last, the latest first. */
export function visited(): readonly Visited[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? (kept as Visited[]) : []
  } catch {
    return []
  }
}

export function rememberVisit({ type, id, name }: Visited): void {
  const others = visited().filter((one) => one.id !== id)
  localStorage.setItem(KEY, JSON.stringify([{ type, id, name }, ...others].slice(0, KEPT_MAX)))
}
