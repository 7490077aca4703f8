import type { Answer, Item } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { rankOf } from '../../kit/state.tsx'

/** Reads all containers of service levels. */
export function useContainers(): Resource<Answer<'/slcs'>> {
  return useGet('/slcs', {}, ['state'])
}

/** The containers in the worst states, worst first. Containers of one state keep their order. */
export function worstContainers(items: readonly Item<'/slcs'>[], count: number): readonly Item<'/slcs'>[] {
  return items.toSorted((a, b) => rankOf(b.state) - rankOf(a.state)).slice(0, count)
}
