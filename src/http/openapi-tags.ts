/** A group of operations in the OpenAPI document. */
type Tag = { readonly name: string; readonly description: string; readonly paths: RegExp }

/** In the order in which a reader needs them; the first that matches a path has it. */
const TAGS: readonly Tag[] = [
  {
    name: 'Deliveries',
    description: 'Send values to webhook jobs: JSON, ping URLs, Prometheus remote write and OTLP.',
    paths: /^\/(?:webcollector|otlp|api\/v1\/write)\b/,
  },
  {
    name: 'Revaluations',
    description: 'Maintenance windows, corrections of past states, and comments.',
    paths: /\/(?:revaluations|revaluation-calendar)\b/,
  },
  {
    name: 'History',
    description: 'Latest values, value histories, state histories, state changes and outages.',
    paths: /\/(?:values|value-history|state-history|state-changes|outages|periods)\b/,
  },
  {
    name: 'Alarms',
    description: 'Alarms, their links, recipients and notifications.',
    paths: /\/(?:alarms|alarmLinks|alarmrecipients|notifications)\b/,
  },
  {
    name: 'Status pages',
    description: 'Public pages and badges of objects.',
    paths: /\/status-pages?\b|^\/(?:status|badges)\b/,
  },
  {
    name: 'Dashboards',
    description: 'Dashboards, their groups, data, versions and permissions.',
    paths: /^\/(?:public\/)?dashboards\b/,
  },
  { name: 'Permissions', description: 'Grants on objects.', paths: /\/permissions\b/ },
  { name: 'Events', description: 'A live stream of changes.', paths: /^\/events\b/ },
  { name: 'Jobs', description: 'Webhook jobs and their ping URLs.', paths: /^\/jobs\b|\/late-jobs\b/ },
  {
    name: 'Service levels',
    description: 'Service level objects (SLO) and service level containers (SLC).',
    paths: /^\/(?:slos|slcs)\b/,
  },
  {
    name: 'Tree',
    description: 'Groups and devices, search, children, dependencies and paths.',
    paths: /^\/(?:groups|devices|root|\{parentType\})(?:\/|$)/,
  },
  {
    name: 'Session',
    description: 'Login, logout, tokens, passwords and multi-factor authentication.',
    paths: /^\/(?:session|sessions|oidc)\b/,
  },
  {
    name: 'Users',
    description: 'Users, user groups and the LDAP directory.',
    paths: /^\/(?:users|userGroups|ldap|mfa)\b/,
  },
  { name: 'Runner protocol', description: 'Calls of script runners.', paths: /^\/runner\b/ },
  {
    name: 'Scripts',
    description: 'Scripts, their files, configurations, runs and runners.',
    paths: /^\/(?:scripts|runners)\b/,
  },
  { name: 'Data sources', description: 'Databases and imported tables.', paths: /^\/dataSources\b/ },
  {
    name: 'Data queries',
    description:
      'SQL of users, with parameters and versions. `/dataQuery/{id}` is another spelling of `/dataQueries/{id}`, also for the paths below it.',
    paths: /^\/dataQueries\b/,
  },
  { name: 'Forecasts', description: 'Predictions of series of numbers.', paths: /^\/forecasts\b/ },
  { name: 'Maps', description: 'Clusters of places.', paths: /^\/gis\b/ },
  {
    name: 'Content',
    description: 'Files, styles and translations.',
    paths: /^\/(?:files|styles|translations)\b/,
  },
  { name: 'Operations', description: 'Long work that a request did not wait for.', paths: /^\/operations\b/ },
  {
    name: 'Administration',
    description: 'Settings, backups, the audit log and the demo plant.',
    paths: /^\/(?:settings\.json|backups|audit|demo)\b/,
  },
  {
    name: 'Service',
    description: 'Health, versions, the web console and this document.',
    paths: /^\/(?:healthz|metrics|readyz|version|openapi\.json|docs|ui(?:\/.*)?)?$/,
  },
]

/** The tags of the document. */
export const tagObjects = TAGS.map(({ name, description }) => ({ name, description }))

/** The tag of a path in OpenAPI's spelling. @throws {Error} when no tag has it: a new path needs one */
export function tagOf(path: string): string {
  const tag = TAGS.find(({ paths }) => paths.test(path))
  if (!tag) throw new Error(`No tag of the OpenAPI document has the path ${path}.`)
  return tag.name
}

/** The operation's name in generated clients: `GET /jobs/{id}/value-history` is `getJobsByIdValueHistory`. */
export function operationIdOf(method: string, path: string): string {
  const words = path.split('/').flatMap((segment) => {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1]
    return parameter === undefined ? segment.split(/[^A-Za-z0-9]+/) : ['by', parameter]
  })
  if (path === '/') return `${method.toLowerCase()}Index`
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
