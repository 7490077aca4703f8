import { useGet } from '../../api/resource.ts'

/** The revaluations that the calendar reads at most. */
const LIMIT = 1_000

/** The entries of all objects in a range. */
export function useCalendar(begin: number, end: number) {
  return useGet('/{parentType}/{parentId}/revaluation-calendar', {
    path: { parentType: 'group', parentId: 1 },
    query: {
      begin: new Date(begin).toISOString(),
      end: new Date(end).toISOString(),
      edit: true,
      limit: LIMIT,
    },
  })
}
