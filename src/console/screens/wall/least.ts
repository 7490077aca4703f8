import { shareLeft } from '../../kit/charts/budget.ts'

type Container = {
  readonly name: string
  readonly values: { readonly creditTotal: number; readonly creditLeft: number }
}
type Least = { readonly name: string; readonly left: number }

/** The container of which the smallest share of the budget is left; null if none has a budget. */
export function leastOf(containers: readonly Container[]): Least | null {
  let least: Least | null = null
  for (const { name, values } of containers) {
    const left = shareLeft(values)
    if (left !== null && (least === null || left < least.left)) least = { name, left }
  }
  return least
}
