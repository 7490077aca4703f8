CREATE TABLE `slc_periods` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slc_id` integer NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	`terms` text NOT NULL,
	FOREIGN KEY (`slc_id`) REFERENCES `slcs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `slc_periods_by_end` ON `slc_periods` (`slc_id`,`end_at`);--> statement-breakpoint
CREATE TABLE `slc_revisions` (
	`period_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`active_ms` integer NOT NULL,
	`used_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`author` text,
	`reason` text,
	PRIMARY KEY(`period_id`, `revision`),
	FOREIGN KEY (`period_id`) REFERENCES `slc_periods`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `slcs` (
	`id` integer PRIMARY KEY NOT NULL,
	`duration` text NOT NULL,
	`reset_interval` text NOT NULL,
	`time_zone` text NOT NULL,
	`limit_percent` real NOT NULL,
	`target_percent` real,
	`warn_at_percent` real NOT NULL,
	`active_time` text,
	`next_at` integer NOT NULL,
	`judged` text,
	`frozen_until_at` integer NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `slcs_by_next` ON `slcs` (`next_at`);