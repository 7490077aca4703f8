/** A figure of the service, with a sample for each set of labels. */
export type Figure = {
  /** Ends in its unit, and in `_total` if it only grows (https://prometheus.io/docs/practices/naming/). */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** `suffix` is a part of the name, such as `_bucket`. */
export type Sample = {
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** The media type of the text format of Prometheus, version 0.0.4. */
export const MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Figures in the text format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). Figures without samples are left out. */
export function textOf(figures: readonly Figure[]): string {
  return figures
    .filter(({ samples }) => samples.length > 0)
    .map(figureText)
    .join('')
}

function figureText({ name, help, type, samples }: Figure): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${value}\n`,
  )
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
