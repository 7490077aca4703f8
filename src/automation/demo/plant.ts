/** One numeric value of a job. A sample is `base`, a tide of 12.42 hours, a wave of a day and noise, each up to its
 * amplitude. */
export type PlantValue = {
  readonly name: string
  readonly unit: string
  readonly precision: number
  readonly base: number
  readonly tide?: number
  readonly day?: number
  readonly noise: number
  readonly min?: number
}

/** A disturbance of a job, hours from the anchor of the plant. It comes again every `CYCLE_HOURS`. */
export type Incident = {
  readonly fromHour: number
  readonly hours: number
  /** Added to the first value; absent for silence. */
  readonly add?: number
}

export type PlantJob = {
  readonly name: string
  readonly values: readonly PlantValue[]
  /** A string value that changes every `hours`. */
  readonly text?: { readonly name: string; readonly texts: readonly string[]; readonly hours: number }
  /** Limits of the first value. */
  readonly limits?: { readonly operator: '>' | '<'; readonly minor?: number; readonly major?: number }
  readonly incidents?: readonly Incident[]
}

export type PlantDevice = {
  readonly name: string
  readonly address: string
  readonly jobs: readonly PlantJob[]
}

export type PlantGroup = {
  readonly name: string
  readonly groups?: readonly PlantGroup[]
  readonly devices?: readonly PlantDevice[]
}

export const CYCLE_HOURS = 720

const volts = (base: number): PlantValue => ({
  name: 'Voltage',
  unit: 'V',
  precision: 2,
  base,
  day: 0.1,
  noise: 0.05,
})
const level = (base: number, tide: number): PlantValue => ({
  name: 'Water level',
  unit: 'cm NAP',
  precision: 1,
  base,
  tide,
  noise: 4,
})

const battery = (incidents: readonly Incident[] = []): PlantJob => ({
  name: 'Battery',
  values: [volts(12.6)],
  limits: { operator: '<', minor: 12, major: 11.5 },
  incidents,
})

const pump = (number: number, incidents: readonly Incident[] = []): PlantJob => ({
  name: `Pump ${number}`,
  values: [
    { name: 'Vibration', unit: 'mm/s', precision: 2, base: 2.1, tide: 0.4, noise: 0.3, min: 0 },
    { name: 'Bearing temperature', unit: '°C', precision: 1, base: 54, day: 5, noise: 1.5 },
    { name: 'Speed', unit: '1/min', precision: 0, base: 620, tide: 180, noise: 12, min: 0 },
  ],
  text: { name: 'Mode', texts: ['automatic', 'automatic', 'automatic', 'manual', 'standby'], hours: 9 },
  limits: { operator: '>', minor: 4.5, major: 7.1 },
  incidents,
})

const gate = (incidents: readonly Incident[] = []): PlantJob => ({
  name: 'Gate',
  values: [{ name: 'Opening', unit: '%', precision: 0, base: 45, tide: 40, noise: 2, min: 0 }],
  text: { name: 'Position', texts: ['closed', 'opening', 'open', 'closing'], hours: 3.1 },
  incidents,
})

const GAUGES: PlantGroup = {
  name: 'Tide gauges',
  devices: [
    {
      name: 'Gauge Harlingen',
      address: 'gauge-harlingen.example',
      jobs: [
        {
          name: 'Water level',
          values: [level(6, 118)],
          limits: { operator: '>', minor: 190, major: 230 },
          incidents: [
            { fromHour: -437, hours: 5, add: 110 },
            { fromHour: -101, hours: 4, add: 85 },
          ],
        },
        battery(),
      ],
    },
    {
      name: 'Gauge Lauwersoog',
      address: 'gauge-lauwersoog.example',
      jobs: [
        {
          name: 'Water level',
          values: [level(3, 124)],
          limits: { operator: '>', minor: 195, major: 235 },
          incidents: [
            { fromHour: -312, hours: 11 },
            { fromHour: -3, hours: 9 },
          ],
        },
        battery([{ fromHour: -31, hours: 40, add: -0.8 }]),
      ],
    },
    {
      name: 'Gauge Den Oever',
      address: 'gauge-den-oever.example',
      jobs: [{ name: 'Water level', values: [level(-2, 96)] }],
    },
  ],
}

const HARLINGEN: PlantGroup = {
  name: 'Harlingen',
  devices: [
    {
      name: 'Tsjerk Hiddes locks',
      address: 'locks-harlingen.example',
      jobs: [
        gate(),
        {
          name: 'Salinity',
          values: [{ name: 'Salinity', unit: 'g/l', precision: 2, base: 14, tide: 6, noise: 0.6, min: 0 }],
        },
      ],
    },
    {
      name: 'Pumping station Harlingen',
      address: 'pumps-harlingen.example',
      jobs: [
        pump(1),
        pump(2, [
          { fromHour: -561, hours: 1.5, add: 6.2 },
          { fromHour: -2.5, hours: 7, add: 5.9 },
        ]),
        {
          name: 'Discharge',
          values: [{ name: 'Flow', unit: 'm³/s', precision: 1, base: 22, tide: 14, noise: 1.2, min: 0 }],
          limits: { operator: '<', minor: 2 },
          incidents: [{ fromHour: -207, hours: 2, add: -40 }],
        },
      ],
    },
  ],
}

const LAUWERSOOG: PlantGroup = {
  name: 'Lauwersoog',
  devices: [
    {
      name: 'Cleveringsluizen',
      address: 'sluices-lauwersoog.example',
      jobs: [gate([{ fromHour: -620, hours: 6 }]), { name: 'Water level inside', values: [level(-93, 9)] }],
    },
    {
      name: 'Pumping station Lauwersoog',
      address: 'pumps-lauwersoog.example',
      jobs: [
        pump(1, [{ fromHour: -150, hours: 0.75, add: 3.4 }]),
        {
          name: 'Power',
          values: [{ name: 'Power', unit: 'kW', precision: 0, base: 410, tide: 160, noise: 15, min: 0 }],
          limits: { operator: '>', minor: 640 },
        },
      ],
    },
  ],
}

const WEATHER: PlantGroup = {
  name: 'Weather',
  devices: [
    {
      name: 'Weather station Harlingen',
      address: 'weather-harlingen.example',
      jobs: [
        {
          name: 'Wind',
          values: [
            { name: 'Speed', unit: 'm/s', precision: 1, base: 7.5, day: 2, noise: 2.4, min: 0 },
            { name: 'Direction', unit: '°', precision: 0, base: 230, day: 35, noise: 20, min: 0 },
          ],
          limits: { operator: '>', minor: 17.2, major: 24.5 },
          incidents: [{ fromHour: -439, hours: 9, add: 13 }],
        },
        {
          name: 'Air',
          values: [
            { name: 'Temperature', unit: '°C', precision: 1, base: 8.5, day: 4.5, noise: 0.4 },
            { name: 'Pressure', unit: 'hPa', precision: 1, base: 1012, day: 3, noise: 0.6 },
          ],
        },
        {
          name: 'Rain',
          values: [{ name: 'Rain', unit: 'mm/h', precision: 1, base: -2, day: 2.5, noise: 1, min: 0 }],
          limits: { operator: '>', minor: 10, major: 25 },
        },
      ],
    },
  ],
}

const OFFICE: PlantGroup = {
  name: 'Control room',
  devices: [
    {
      name: 'Historian server',
      address: 'historian.example',
      jobs: [
        {
          name: 'Disk',
          values: [{ name: 'Used', unit: '%', precision: 1, base: 71, day: 1.5, noise: 0.3, min: 0 }],
          limits: { operator: '>', minor: 80, major: 92 },
        },
        {
          name: 'Backup',
          values: [{ name: 'Size', unit: 'GB', precision: 1, base: 212, day: 1, noise: 0.4, min: 0 }],
          text: { name: 'Result', texts: ['complete', 'complete', 'complete, 1 file skipped'], hours: 24 },
        },
        {
          name: 'Telemetry queue',
          values: [{ name: 'Messages', unit: '', precision: 0, base: 40, day: 25, noise: 12, min: 0 }],
          text: { name: 'Broker', texts: ['primary', 'primary', 'secondary'], hours: 37 },
          limits: { operator: '>', minor: 250, major: 600 },
          incidents: [{ fromHour: -55, hours: 1, add: 480 }],
        },
      ],
    },
  ],
}

export const PLANT: PlantGroup = {
  name: 'Wadden Water Authority',
  groups: [GAUGES, { name: 'Sluices and pumps', groups: [HARLINGEN, LAUWERSOOG] }, WEATHER, OFFICE],
}

/** A service level object: its children are places of objects in the plant, or names of other service level objects. */
export const SLOS = [
  {
    name: 'Pumping at Harlingen',
    children: ['Sluices and pumps/Harlingen/Pumping station Harlingen'],
    cost: 85,
  },
  {
    name: 'Sluicing at Lauwersoog',
    children: [
      'Sluices and pumps/Lauwersoog/Cleveringsluizen',
      'Sluices and pumps/Lauwersoog/Pumping station Lauwersoog',
    ],
    cost: 40,
  },
  { name: 'Flood warning', children: ['Tide gauges/Gauge Harlingen', 'Weather'], cost: 0 },
  {
    name: 'Dry feet in Friesland',
    children: ['Pumping at Harlingen', 'Sluicing at Lauwersoog', 'Flood warning'],
    cost: 0,
  },
] as const

export const SLCS = [
  { name: 'Pumping contract', limit: 98, target: 99, slo: 'Pumping at Harlingen' },
  { name: 'Flood warning agreement', limit: 98, target: 99, slo: 'Flood warning' },
] as const

export const USERS = [
  { username: 'demo.operator', fullname: 'Sjoukje de Vries (demo)', role: 'editor' },
  { username: 'demo.viewer', fullname: 'Control room wall (demo)', role: 'dashboard_viewer' },
] as const

export const SCRIPT = {
  name: 'Demo tide report',
  description: 'Prints the times of high water of the next day.',
  main: `"""Prints the times of high water of the next 24 hours, from a tide of 12 hours and 25 minutes."""
from datetime import datetime, timedelta, timezone

PERIOD = timedelta(hours=12, minutes=25)
now = datetime.now(timezone.utc)
first = datetime(2026, 1, 1, 4, 10, tzinfo=timezone.utc)
water = first + PERIOD * ((now - first) // PERIOD + 1)
while water < now + timedelta(hours=24):
    print("High water at Harlingen:", water.strftime("%d %b %H:%M UTC"))
    water += PERIOD
`,
} as const

/** A job with its place in the plant: the names from the plant's group down, separated by slashes. */
export type PlacedJob = { readonly place: string; readonly job: PlantJob }

/** Every job of the plant, in a fixed order. */
export const JOBS: readonly PlacedJob[] = jobsBelow(PLANT, '')

function jobsBelow({ groups = [], devices = [] }: PlantGroup, prefix: string): PlacedJob[] {
  return [
    ...devices.flatMap((device) =>
      device.jobs.map((job) => ({ place: `${prefix}${device.name}/${job.name}`, job })),
    ),
    ...groups.flatMap((group) => jobsBelow(group, `${prefix}${group.name}/`)),
  ]
}
