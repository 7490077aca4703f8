import { quoted } from './quotes.ts'
import type { Language, Targets, TemplateName } from './schema.ts'

export type Template<Target> = {
  readonly description: string
  readonly note: string
  /** The part after the common beginning of all programs of a language. */
  readonly main: Readonly<Record<Language, (target: Target) => string>>
}

const { python, bash, javascript } = quoted

const delivery: Template<Targets['webhook-delivery']> = {
  description: 'Delivers a number to a webhook job.',
  note: 'The number is the first argument of the run; replace it by the measurement that you want to deliver.',
  main: {
    python: ({ jobId, key }) => `
value = float(sys.argv[1])
print(json.dumps(call("POST", ${python(deliveryPath(jobId))}, {${python(key)}: value})))
`,
    javascript: ({ jobId, key }) => `
const value = Number(process.argv[2])
console.log(JSON.stringify(await call('POST', ${javascript(deliveryPath(jobId))}, { [${javascript(key)}]: value })))
`,
    bash: ({ jobId, key }) => `
value=$1
[[ $value =~ ^-?[0-9]+(\\.[0-9]+)?$ ]] || { echo 'The first argument is not a number.' >&2; exit 1; }
call POST ${bash(deliveryPath(jobId))} ${bash(`{"${key}": `)}"$value}"
`,
  },
}

const history: Template<Targets['value-history']> = {
  description: 'Prints the values that a job received within a day, in buckets.',
  note: 'Add timestamp_begin, timestamp_end and scale to the path for another range.',
  main: {
    python: ({ jobId, key }) => `
series = call("GET", ${python(historyPath(jobId, key))})
for bucket in series["values"]:
    print(bucket["timestamp"], bucket["value"])
`,
    javascript: ({ jobId, key }) => `
const series = await call('GET', ${javascript(historyPath(jobId, key))})
for (const { timestamp, value } of series.values) console.log(timestamp, value)
`,
    bash: ({ jobId, key }) => `
call GET ${bash(historyPath(jobId, key))}
`,
  },
}

const alarms: Template<Targets['alarms']> = {
  description: 'Prints alarms.',
  note: 'The script prints one page; nextCursor of the answer is the cursor of the next page.',
  main: {
    python: ({ state }) => `
for alarm in call("GET", ${python(alarmsPath(state))})["items"]:
    print(alarm["id"], alarm["state"], alarm["begin"], alarm["object"]["name"])
`,
    javascript: ({ state }) => `
const { items } = await call('GET', ${javascript(alarmsPath(state))})
for (const { id, state, begin, object } of items) console.log(id, state, begin, object.name)
`,
    bash: ({ state }) => `
call GET ${bash(alarmsPath(state))}
`,
  },
}

const httpCall: Template<Targets['http-call']> = {
  description: 'Calls a route of this service and prints its answer.',
  note: 'The script can do what the user who runs it can do.',
  main: {
    python: (target) => `
print(json.dumps(call(${givenTo(python, 'json.loads', target)})))
`,
    javascript: (target) => `
console.log(JSON.stringify(await call(${givenTo(javascript, 'JSON.parse', target)})))
`,
    bash: ({ method, path, content }) => `
call ${[method, path, ...(content === undefined ? [] : [JSON.stringify(content)])].map(bash).join(' ')}
`,
  },
}

/** The templates of code; each calls existing routes. */
export const TEMPLATES: { readonly [Name in TemplateName]: Template<Targets[Name]> } = {
  'webhook-delivery': delivery,
  'value-history': history,
  alarms,
  'http-call': httpCall,
}

/** The argument of `call`. Data stays data: it is a text that the program reads as JSON. */
function givenTo(
  quote: (text: string) => string,
  parse: string,
  { method, path, content }: Targets['http-call'],
): string {
  const sent = content === undefined ? [] : [`${parse}(${quote(JSON.stringify(content))})`]
  return [quote(method), quote(path), ...sent].join(', ')
}

function deliveryPath(jobId: number): string {
  return `/webcollector/jobs/${jobId}/values`
}

function historyPath(jobId: number, key: string): string {
  return `/jobs/${jobId}/value-history?key=${key}`
}

function alarmsPath(state: string): string {
  return `/alarms?state=${state}`
}
