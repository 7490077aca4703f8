CREATE TABLE `data_refreshes` (
	`table_id` integer PRIMARY KEY NOT NULL,
	`origin` text NOT NULL,
	`every_ms` integer,
	`next_at` integer,
	`refreshed_at` integer,
	`failures` integer NOT NULL,
	`failed_at` integer,
	`error` text NOT NULL,
	`lease` text,
	`lease_until_at` integer,
	`version` integer NOT NULL,
	FOREIGN KEY (`table_id`) REFERENCES `data_tables`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_refreshes_by_next` ON `data_refreshes` (`next_at`);