CREATE TABLE `forecast_bands` (
	`job_id` integer NOT NULL,
	`key` text NOT NULL,
	`forecast_id` integer NOT NULL,
	`made_at` integer NOT NULL,
	`band` text NOT NULL,
	PRIMARY KEY(`job_id`, `key`, `forecast_id`),
	FOREIGN KEY (`job_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`forecast_id`) REFERENCES `forecasts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `forecast_bands_by_forecast` ON `forecast_bands` (`forecast_id`);--> statement-breakpoint
CREATE TABLE `forecast_groups` (
	`forecast_id` integer NOT NULL,
	`number` integer NOT NULL,
	`key` text NOT NULL,
	`quality` text NOT NULL,
	`outcome` text NOT NULL,
	`points` text,
	PRIMARY KEY(`forecast_id`, `number`),
	FOREIGN KEY (`forecast_id`) REFERENCES `forecasts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `forecasts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`definition` text NOT NULL,
	`owner_id` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`next_at` integer,
	`published_run` text,
	`read_at` integer,
	`published_at` integer,
	`summary` text,
	`failure` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `forecasts_by_name` ON `forecasts` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `forecasts_by_next` ON `forecasts` (`next_at`);