CREATE TABLE `links` (
	`parent_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`position` integer NOT NULL,
	`weight` integer NOT NULL,
	`overrides` text NOT NULL,
	PRIMARY KEY(`parent_id`, `child_id`),
	FOREIGN KEY (`parent_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`child_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `links_by_child` ON `links` (`child_id`);--> statement-breakpoint
CREATE TABLE `slos` (
	`id` integer PRIMARY KEY NOT NULL,
	`device_id` integer NOT NULL,
	`state_operation` text NOT NULL,
	`push_state` text NOT NULL,
	`sort_mode` text NOT NULL,
	`rules` text NOT NULL,
	`is_reason` integer NOT NULL,
	`costs_per_min` real NOT NULL,
	`currency` text NOT NULL,
	`risk_factor` real NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
