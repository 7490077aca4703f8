CREATE TABLE `data_source_catalogues` (
	`data_source_id` integer PRIMARY KEY NOT NULL,
	`digests` text NOT NULL,
	`synced_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
