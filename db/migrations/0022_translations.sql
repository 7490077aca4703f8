CREATE TABLE `translation_cache` (
	`provider` text NOT NULL,
	`source` text NOT NULL,
	`target` text NOT NULL,
	`digest` text NOT NULL,
	`text` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`provider`, `source`, `target`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `translation_cache_by_time` ON `translation_cache` (`at`);--> statement-breakpoint
CREATE TABLE `translations` (
	`language` text NOT NULL,
	`key` text NOT NULL,
	`text` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`language`, `key`)
);
