import { useLocation } from 'preact-iso'

/** The path of the console, with a slash at its end, such as `/ui/`. */
export const BASE = new URL(document.baseURI).pathname

/** The address of a screen, such as `alarms?status=open`. */
export function linkTo(
  screen: string,
  query: Readonly<Record<string, string | number | null | undefined>> = {},
): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value))
  return BASE + screen + (search.size > 0 ? `?${search}` : '')
}

/** The address of an object's page. */
export const objectLink = (type: string, id: number): string => linkTo(`${type}/${id}`)

/** One parameter of the page's query, and how to change it. The state of a screen lives in its address.
 * A change replaces the entry of the history, unless `push` is true. */
export function useQuery<V extends string>(
  name: string,
  initial: V,
): readonly [V, (value: V, push?: boolean) => void] {
  const { query, route } = useLocation()
  const value = (query[name] ?? initial) as V
  return [
    value,
    (next, push = false) => {
      const search = new URLSearchParams(location.search)
      if (next === initial) search.delete(name)
      else search.set(name, next)
      route(location.pathname + (search.size > 0 ? `?${search}` : ''), !push)
    },
  ]
}
