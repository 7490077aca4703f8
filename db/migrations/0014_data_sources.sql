CREATE TABLE `data_sources` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`type` text NOT NULL,
	`is_read_only` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`connection` text NOT NULL,
	`password` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_sources_by_name` ON `data_sources` ("name" collate nocase);