/** The part of an alarm that the tide needs. */
export type TideAlarm = { readonly begin: string; readonly end: string | null; readonly worstState: string }

/** The objects in trouble in one interval: all, and those that were major. */
export type TideStep = { readonly at: number; readonly all: number; readonly major: number }

/** Counts the alarms that were open in each interval of a span.
 * @param span begin and end in ms since 1970
 * @param stepMs the length of an interval */
export function tideOf(
  alarms: readonly TideAlarm[],
  { begin, end }: { readonly begin: number; readonly end: number },
  stepMs: number,
): readonly TideStep[] {
  const steps = Array.from({ length: Math.max(1, Math.ceil((end - begin) / stepMs)) }, (_, at) => ({
    at: begin + at * stepMs,
    all: 0,
    major: 0,
  }))
  for (const alarm of alarms) {
    const from = Math.max(0, Math.floor((Date.parse(alarm.begin) - begin) / stepMs))
    const to = alarm.end === null ? steps.length - 1 : Math.floor((Date.parse(alarm.end) - begin) / stepMs)
    for (const step of steps.slice(from, to + 1)) {
      step.all += 1
      if (alarm.worstState === 'major') step.major += 1
    }
  }
  return steps
}

/** The first interval with the most objects in trouble; null when there was none. */
export function highWater(steps: readonly TideStep[]): TideStep | null {
  let highest: TideStep | null = null
  for (const step of steps) if (step.all > (highest?.all ?? 0)) highest = step
  return highest
}
